package leaving

// consent are the columns of what a client agreed to.
func consent() []column {
	return []column{
		text("account_holder", "x.holder_name", "Holder of the account"),
		text("account", "x.account_mask", "The account, masked; accounts.csv has the number"),
		word("bank_code", "x.bank_code", "Branch code"),
		word("account_type", "x.account_type", "CURRENT, SAVINGS or TRANSMISSION"),
		text("wording", "x.consent_text", "What the client agreed to"),
		moment("consent_at", "x.consent_at", "When"),
		word("channel", "x.consent_channel", "How: pay_page, signed_paper, api or bank"),
		word("consent_ip", "x.consent_ip", "From which address"),
		text("consent_agent", "x.consent_agent", "With which browser"),
	}
}

func mandateFiles() []file {
	return []file{
		{name: "mandates.csv", holds: "Permissions to debit, with their wording and how each was given",
			tables: []string{"mandates"}, from: "mandates x" + clientOf, order: "x.id",
			columns: append(append(append([]column{
				word("mandate_id", "x.id", "The mandate’s id here, which is that of its token"),
				word("brand_id", "x.brand_id", "The brand that debits"),
				text("contract_reference", "x.contract_reference", "Reference, as on the client’s statement"),
			}, whose()...), consent()...),
				day("signed_on", "x.consent_at + interval '2 hours'", "The day of the permission"),
				word("kind", "x.kind", "eft or debicheck"),
				word("status", "x.state", "active, or where it stands"),
				word("profile_code", "x.profile_code", "Debit-order profile"),
				text("abbreviated_name", "x.abbreviated_name", "The name on the client’s statement"),
				ownNumber("clearing_account", "x.clearing_account", "Your account into which the debits pay"),
				word("period_units", "x.period_units", "months, weeks or days"),
				count("day", "x.deduction_day", "Day of the debit; 99 is the last of the month"),
				amount("amount", "x.amount_cents", "Amount of the purchase that asked for it"),
				yesNo("one_debit", "x.one_debit", "Whether it is for one debit alone"),
				document("terms", "x.terms", "The terms that the bank knows, of DebiCheck"),
				text("bank_reference", "x.bank_reference", "The bank’s reference, of DebiCheck"),
				yesNo("fallback", "x.fallback", "Whether the client did not answer, so that each debit may be disputed"),
				word("reason_code", "x.reason_code", "The bank’s code for how it ended"),
				moment("accepted_at", "x.accepted_at", "When it became usable"),
				moment("ended_at", "x.ended_at", "When it ended"),
				moment("created_at", "x.created_at", "When it was made"),
			)},
		{name: "confirmations.csv", holds: "Requests to confirm a DebiCheck mandate, and the answers",
			tables: []string{"mandate_authentications"}, from: "mandate_authentications x", order: "x.id", columns: []column{
				word("confirmation_id", "x.id", "Its id here"),
				word("mandate_id", "x.mandate_id", "The mandate"),
				count("number", "x.number", "Counted for each mandate"),
				word("method", "x.method", "How the client was asked"),
				word("state", "x.state", "What came of it"),
				word("code", "x.code", "The bank’s code"),
				word("channel", "x.channel", "By which the client answered"),
				text("requested_by", "x.requested_by", "Who asked"),
				moment("requested_at", "x.requested_at", "When it was asked for"),
				moment("sent_at", "x.sent_at", "When it left"),
				moment("delivered_at", "x.delivered_at", "When it reached the client"),
				moment("expires_at", "x.expires_at", "Until when it could be answered"),
				moment("answered_at", "x.answered_at", "When it was answered"),
			}},
		{name: "mandates_replaced.csv", holds: "Permissions that were given anew after a failed debit, as they were before",
			tables: []string{"mandates_replaced"}, from: "mandates_replaced x", order: "x.id",
			columns: append(append([]column{
				word("replaced_id", "x.id", "Its id here"),
				word("mandate_id", "x.mandate_id", "The mandate that it was"),
				word("client_id", "x.client_id", "The client"),
				text("contract_reference", "x.contract_reference", "Reference"),
			}, consent()...),
				moment("created_at", "x.created_at", "When it was given"),
				moment("replaced_at", "x.replaced_at", "When another took its place"))},
		evidenceFile,
	}
}
