"""What a person has chosen, from one table of every setting, and the address and the file that carry it.

A `Settings` value says what a person has chosen: a preset, the settings that differ from it, sequences of their
own, and hand-edited entries. It is a plain frozen value; `parse_address` and `format_address` are inverse to each
other, so are `from_json` and `to_json`, and `apply_edit` is the only way in which an edit of the explorer changes it.
"""

from rnnviz.settings.address import (
    ADDRESS_LIMIT,
    Problem,
    address_length,
    format_address,
    parse_address,
    read_assignment,
    without_hosting,
)
from rnnviz.settings.chosen import TEXT_LIMIT, Rows, Settings, checked_batch, checked_sequence, checked_text
from rnnviz.settings.clamps import read_clamps, write_clamps
from rnnviz.settings.entries import (
    ENTRY_DIMENSIONS,
    Edit,
    Entry,
    apply_edit,
    array_of,
    numbered,
    read_edit,
    read_name,
)
from rnnviz.settings.file import from_json, network_in, to_json
from rnnviz.settings.parts import (
    BaseSettings,
    LearningSettings,
    NetworkSettings,
    ObjectiveSettings,
    ViewSettings,
)
from rnnviz.settings.table import (
    FLOW_SETTINGS,
    KINDS,
    NOT_HERE,
    OBJECTIVE_SETTINGS,
    SETTINGS,
    Setting,
    Value,
    choices_of,
    one_of_words,
    settings_of,
)

__all__ = [
    "ADDRESS_LIMIT",
    "ENTRY_DIMENSIONS",
    "FLOW_SETTINGS",
    "KINDS",
    "NOT_HERE",
    "OBJECTIVE_SETTINGS",
    "SETTINGS",
    "TEXT_LIMIT",
    "BaseSettings",
    "Edit",
    "Entry",
    "LearningSettings",
    "NetworkSettings",
    "ObjectiveSettings",
    "Problem",
    "Rows",
    "Setting",
    "Settings",
    "Value",
    "ViewSettings",
    "address_length",
    "apply_edit",
    "array_of",
    "checked_batch",
    "checked_sequence",
    "checked_text",
    "choices_of",
    "format_address",
    "from_json",
    "network_in",
    "numbered",
    "one_of_words",
    "parse_address",
    "read_assignment",
    "read_clamps",
    "read_edit",
    "read_name",
    "settings_of",
    "to_json",
    "without_hosting",
    "write_clamps",
]
