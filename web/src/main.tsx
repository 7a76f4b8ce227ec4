import "@lichess-org/chessground/assets/chessground.base.css";
import "@lichess-org/chessground/assets/chessground.brown.css";
import "@lichess-org/chessground/assets/chessground.cburnett.css";
import "uplot/dist/uPlot.min.css";
import "./style.css";

import { render } from "preact";

import { App } from "./app";

const root = document.getElementById("app");
if (root) render(<App />, root);
