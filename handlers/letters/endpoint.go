package letters

import (
	"debitdesk/models/calendar"
	"debitdesk/models/mail"
	"debitdesk/models/webhook"
	"debitdesk/views/emails"
)

var _ webhook.Letters = Writer{}

// EndpointFails tells an admin since when an endpoint does not accept deliveries.
func (w Writer) EndpointFails(hook webhook.Webhook, lastError string) mail.Letter {
	return letter(emails.View{
		Title:   "Your webhook " + hook.Title + " does not accept deliveries",
		Preview: "Events wait, and are dropped after 36 hours.", Brand: "Debitdesk", Greeting: "Hello,",
		Paragraphs: []string{
			"The endpoint of your webhook has refused every delivery for an hour or more. " +
				"Each event is tried for up to 36 hours and then dropped; " +
				"later events of the same purchase wait until then. You can resend events when the endpoint works again.",
		},
		Facts: []emails.Line{{Label: "Webhook", Value: hook.Title}, {Label: "Address", Value: hook.ShownCallback()},
			{Label: "Failing since", Value: hook.FailingSince.In(calendar.SAST).Format(day+", 15:04") + " SAST"},
			{Label: "Last answer", Value: lastError}},
		Button: emails.Button{Label: "View the deliveries", URL: w.Base + "/developers/webhooks/" + hook.ID.String()},
		After:  []string{"You get this mail once each time the endpoint starts to fail."},
	})
}
