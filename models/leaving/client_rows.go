package leaving

const (
	clientOf  = " LEFT JOIN clients c ON c.id = x.client_id"
	mandateOf = " LEFT JOIN mandates m ON m.id = x.mandate_id"
)

// whose are the columns by which the rows of a client are joined with the client, here and elsewhere.
func whose() []column {
	return []column{
		word("client_id", "x.client_id", "The client; as in clients.csv"),
		text("full_name", "c.full_name", "Name of the client"),
		text("email", "c.email", "E-mail of the client"),
	}
}

// clientFiles are about clients and the accounts that they let be debited.
func clientFiles() []file {
	return []file{
		{name: "clients.csv", holds: "Clients; deleted ones too, and erased ones without what is known of them",
			tables: []string{"clients", "client_references"}, from: "clients x", order: "x.id", columns: []column{
				word("client_id", "x.id", "The client’s id here"),
				text("reference", "(SELECT string_agg(r.reference, ' ' ORDER BY r.reference) FROM client_references r "+
					"WHERE r.merchant_id = x.merchant_id AND r.client_id = x.id)", "Your own reference of the client"),
				text("full_name", "x.full_name", "Name"),
				text("email", "x.email", "E-mail address"),
				text("phone", "x.phone", "Phone, with the country’s code"),
				number("personal_code", "x.personal_code_mask", "Identity or passport number",
					sealed{from: "x.personal_code_sealed", table: "clients", column: "personal_code_sealed"}),
				text("street_address", "x.street_address", "Street"),
				text("city", "x.city", "City"),
				text("province", "x.state", "Province"),
				text("zip_code", "x.zip_code", "Postal code"),
				word("country", "x.country", "Country, two letters"),
				word("bank_code", "x.bank_code", "Branch code of the account on the client’s record"),
				number("bank_account", "x.bank_account_mask", "Account number on the client’s record; accounts.csv has those "+
					"that may be debited",
					sealed{from: "x.bank_account_sealed", table: "clients", column: "bank_account_sealed"}),
				word("account_type", "x.account_type", "CURRENT, SAVINGS or TRANSMISSION"),
				text("legal_name", "x.legal_name", "Legal name, of a company"),
				text("brand_name", "x.brand_name", "Trading name, of a company"),
				text("registration_number", "x.registration_number", "Registration number, of a company"),
				text("tax_number", "x.tax_number", "VAT number, of a company"),
				list("cc", "x.cc", "Who gets copies of mails"),
				list("bcc", "x.bcc", "Who gets hidden copies of mails"),
				text("shipping_street_address", "x.shipping_street_address", "Street of delivery"),
				text("shipping_city", "x.shipping_city", "City of delivery"),
				text("shipping_province", "x.shipping_state", "Province of delivery"),
				text("shipping_zip_code", "x.shipping_zip_code", "Postal code of delivery"),
				word("shipping_country", "x.shipping_country", "Country of delivery"),
				moment("stopped_at", "x.stopped_at", "Since when nothing is debited; empty: debits run"),
				moment("created_at", "x.created_at", "When the client was added"),
				moment("updated_at", "x.updated_at", "When the record was changed last"),
				moment("deleted_at", "x.deleted_at", "When the client was deleted"),
				moment("erased_at", "x.erased_at", "When the personal data was erased on request"),
				day("evidence_until", "x.evidence_until", "Until when evidence of an erased client is kept"),
			}},
		{name: "accounts.csv", holds: "Stored bank accounts (tokens), each with its permission to be debited",
			tables: []string{"tokens"}, from: "tokens x" + clientOf + mandateOf, order: "x.id",
			columns: append(append([]column{word("token_id", "x.id", "The token")}, whose()...),
				text("account_holder", "x.holder_name", "Holder of the account"),
				word("bank_code", "x.bank_code", "Branch code"),
				number("bank_account", "x.account_mask", "Account number",
					sealed{from: "x.account_sealed", table: "tokens", column: "account_sealed"}),
				word("account_type", "x.account_type", "CURRENT, SAVINGS or TRANSMISSION"),
				word("status", "x.state", "active, blocked, or why it is over"),
				word("method", "x.method", "How it is debited: eft or debicheck"),
				word("mandate_id", "x.mandate_id", "The mandate, as in mandates.csv"),
				text("contract_reference", "m.contract_reference", "Reference of the mandate"),
				day("signed_on", "m.consent_at + interval '2 hours'", "When the permission was given"),
				day("last_debit", "x.last_used_at + interval '2 hours'", "When it was debited last"),
				moment("last_success_at", "x.last_success_at", "When a debit was paid last"),
				count("failures", "x.failures", "Failed debits since one was paid"),
				count("soft_failures", "x.soft_failures", "Of these, for lack of money"),
				word("blocked_code", "x.blocked_code", "The bank’s code that blocked it"),
				moment("held_at", "x.held_at", "Since when its debits are stopped"),
				text("description", "x.description", "Description"),
				text("created_by", "x.created_by", "Who stored it"),
				moment("created_at", "x.created_at", "When it was stored"),
				moment("ended_at", "x.ended_at", "When it ended"),
			)},
		{name: "account_checks.csv", holds: "Answers of banks to whether an account is open and whose it is",
			tables: []string{"account_verifications"}, from: "account_verifications x", order: "x.id", columns: []column{
				word("check_id", "x.id", "Its id here"),
				word("client_id", "x.client_id", "The client"),
				word("purchase_id", "x.purchase_id", "The purchase on which the account was given"),
				text("account", "x.account_mask", "The account, masked"),
				word("bank_code", "x.bank_code", "Branch code"),
				yesNo("passed", "x.passed", "Whether the account can be debited"),
				document("answers", "x.answers", "Each answer of the bank"),
				moment("at", "x.at", "When the bank answered"),
			}},
		{name: "amendments.csv", holds: "Accounts in whose place a client gave another",
			tables: []string{"amendments"}, from: "amendments x", order: "x.id", columns: []column{
				word("amendment_id", "x.id", "Its id here"),
				word("old_token_id", "x.old_token_id", "The account before"),
				word("purchase_id", "x.purchase_id", "The purchase by which the new one is stored"),
				word("state", "x.state", "open, done or abandoned"),
				count("moved", "x.moved", "How many debits and subscriptions moved"),
				text("created_by", "x.created_by", "Who began it"),
				moment("created_at", "x.created_at", "When it began"),
				moment("finished_at", "x.finished_at", "When it ended"),
			}},
		{name: "stops.csv", holds: "Stops of all debits of a client", tables: []string{"client_stops"},
			from: "client_stops x", order: "x.id", columns: []column{
				word("stop_id", "x.id", "Its id here"),
				word("client_id", "x.client_id", "The client"),
				word("state", "x.state", "Whether it holds"),
				text("reason", "x.reason", "Why"),
				text("asked_by", "x.asked_name", "Who stopped them"),
				text("approver", "x.approver", "Who agreed"),
				moment("created_at", "x.created_at", "Since when"),
				text("ended_by", "x.ended_name", "Who let them run again"),
				moment("ended_at", "x.ended_at", "Until when"),
			}},
		{name: "merges.csv", holds: "Clients that were made one: what belonged to the gone one belongs to the kept one",
			tables: []string{"client_merges"}, from: "client_merges x", order: "x.id", columns: []column{
				word("merge_id", "x.id", "Its id here"),
				word("kept_client_id", "x.kept_id", "The client that was kept; as in clients.csv"),
				word("gone_client_id", "x.gone_id", "The client that was merged into it"),
				text("made_by", "x.made_name", "Who merged them"),
				moment("made_at", "x.made_at", "When"),
				text("undone_by", "x.undone_name", "Who undid it"),
				moment("undone_at", "x.undone_at", "When it was undone; empty: it holds"),
			}},
	}
}
