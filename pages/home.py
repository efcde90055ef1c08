"""Home: what rnnviz is, the worked example alive, and a card for each page."""

from rnnviz.ui import shell
from rnnviz.ui.explorer_panel import explore
from rnnviz.ui.home import beginning, cards, nearly_named
from rnnviz.ui.panels import parts
from rnnviz.ui.state import open_page

PAGE = "home"

shell.enter(PAGE)
parts(PAGE, open_page(PAGE), nearly_named, beginning, explore, cards)
