package audit

import "debitdesk/models/actor"

// directing are the changes that decide where money goes, who learns of it and who may move it. Whoever took over a
// session would begin with one of these.
var directing = map[string]bool{
	"profile.added": true, "profile.default": true, "profile.removed": true,
	"webhook.created": true, "webhook.changed": true, "webhook.deleted": true,
	"credential.issued": true, "credential.replaced": true,
	"issuer.created": true, "issuer.changed": true, "issuer.removed": true, "issuer.exceptions": true,
	"membership.changed": true, "membership.added": true,
	SettingAsked: true,
}

// SettingAsked is the action of an entry that a second approver was asked to agree to such a change.
const SettingAsked = "approval.setting_asked"

// DirectsMoney tells whether an entry is such a change, made by a person or a program. Of each all admins are told.
func (e Entry) DirectsMoney() bool {
	return directing[e.Action] && (e.Actor.Kind == actor.User || e.Actor.Kind == actor.Credential)
}
