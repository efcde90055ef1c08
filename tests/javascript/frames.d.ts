// What Python writes above mount.js and scripts.js (rnnviz/ui/components/shared/__init__.py).

import type { SetStateValue, View } from "../../rnnviz/ui/components/shared/types";

type Name = `rnnviz ${string}`;

declare global {
  const NAME: Name;
  const HTML: string;
  const VIEW: new (host: HTMLElement, data: unknown, setStateValue: SetStateValue) => View<unknown>;
  interface Window {
    /** Plotly, as its Python package brings it. */
    Plotly?: {
      react(host: HTMLElement, data: unknown, layout: unknown, config: unknown): Promise<unknown>;
      purge(host: HTMLElement): void;
    };
    /** What a component's own scripts leave for mount.js. */
    [name: Name]: ((host: HTMLElement, data: unknown, setStateValue: SetStateValue) => View<unknown>) | undefined;
  }
}
