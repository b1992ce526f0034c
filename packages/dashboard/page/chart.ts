// The parts of Chart.js that draw bars: one file for the page, which loads it with the first plot, and for the report of the command, which
// copies it into its own page. There nothing can import it, so it is a global too.
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  Legend,
  LinearScale,
  Title,
  Tooltip,
} from "chart.js";

Chart.register(BarController, BarElement, CategoryScale, Legend, LinearScale, Title, Tooltip);
Object.assign(globalThis, { Chart });

export { Chart };
