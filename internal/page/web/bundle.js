// What the bundle is made of: the extension expects htmx as a global when it is loaded.
import './htmx.js';
import 'htmx.org/dist/ext/hx-sse.js';
import './main.js';
