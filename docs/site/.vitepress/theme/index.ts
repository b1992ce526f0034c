import DefaultTheme from "vitepress/theme";
import type { Theme } from "vitepress";
import Diagram from "./Diagram.vue";
import Playground from "./playground/Playground.vue";
import "./pages.css";

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component("Diagram", Diagram);
    app.component("Playground", Playground);
  },
} satisfies Theme;
