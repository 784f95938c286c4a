package kit

import (
	"debitdesk/models/actor"
	"debitdesk/views/components"
)

// ActDelete names the deletion of tokens among the acts on what was chosen. It has a page of its own, which asks what
// becomes of what hangs on them, and whether a second person must approve.
const ActDelete = "deletion"

// ActMove names among them the question what planned debits would bring on another day. It has a page of its own.
const ActMove = "another-day"

// DeleteTokens is the button of the deletion over a list.
func DeleteTokens(label string, who actor.Actor) components.Button {
	del := components.Button{Label: label, Icon: "trash", Value: ActDelete}
	if who.Can(actor.DeleteTokens) {
		del.Kind = "danger"
	} else {
		del.Disabled, del.Why = true, "Only an admin can delete tokens."
	}
	return del
}
