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

var developerParts = []struct{ key, label, href string }{
	{DevCredentials, "Credentials", "/developers"},
	{DevRequests, "Request log", "/developers/requests"},
	{DevEvents, "Events", "/developers/events"},
	{DevWebhooks, "Webhooks", "/developers/webhooks"},
	{DevSimulator, "Simulator", "/developers/simulator"},
	{DevReference, "API reference", "/developers/api"},
}

// developerTabs marks the part that is shown. The simulator exists with the sandbox alone.
func developerTabs(active string, sandbox bool) Tabs {
	t := Tabs{Label: "Developer pages"}
	for _, p := range developerParts {
		if p.key == DevSimulator && !sandbox {
			continue
		}
		t.Items = append(t.Items, Tab{Label: p.label, Href: p.href, Active: p.key == active})
	}
	return t
}
