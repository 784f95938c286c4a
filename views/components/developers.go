package components

// The parts of the developer pages, for DeveloperNav.
const (
	DevCredentials = "credentials"
	DevRequests    = "requests"
	DevEvents      = "events"
	DevWebhooks    = "webhooks"
	DevSimulator   = "simulator"
	DevReference   = "api"
)

var developerParts = []struct{ key, label, href, manual string }{
	{DevCredentials, "Credentials", "/developers", "/manual/api#a-token-for-your-program"},
	{DevRequests, "Request log", "/developers/requests", "/manual/api#watch-what-your-program-does"},
	{DevEvents, "Events", "/developers/events", "/manual/webhooks#follow-the-deliveries"},
	{DevWebhooks, "Webhooks", "/developers/webhooks", "/manual/webhooks"},
	{DevSimulator, "Simulator", "/developers/simulator", "/manual/sandbox#play-months"},
	{DevReference, "API reference", "/developers/api", "/manual/api"},
}

// developerTabs marks the part that is shown. The simulator exists with the sandbox alone.
func developerTabs(active string, sandbox bool) Tabs {
	t := Tabs{Label: "Developer pages"}
	for _, p := range developerParts {
		if p.key == DevSimulator && !sandbox {
			continue
		}
		t.Items = append(t.Items, Tab{Label: p.label, Href: p.href, Active: p.key == active})
		if p.key == active {
			t.Manual = p.manual
		}
	}
	return t
}
