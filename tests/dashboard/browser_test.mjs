// What people do with the dashboard, on a real controller with a real node and real sandboxes: one instance and one browser
// for all, in this order. Later suites look at the runs that earlier ones have left, and the last one stops the controller.
import "./hooks.mjs";
import "./suite_login.mjs";
import "./suite_run.mjs";
import "./suite_usage.mjs";
import "./suite_bulk.mjs";
import "./suite_hostile_output.mjs";
import "./suite_keyboard.mjs";
import "./suite_nodes.mjs";
import "./suite_run_form.mjs";
import "./suite_objects.mjs";
import "./suite_themes.mjs";
import "./suite_refusals.mjs";
