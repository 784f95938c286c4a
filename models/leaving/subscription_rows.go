package leaving

import "strings"

// cycleWord says how often a template bills, as an import reads it.
func cycleWord(t string) string {
	return strings.ReplaceAll(`CASE t.period::text || ' ' || t.period_units WHEN '1 months' THEN 'monthly'
		WHEN '3 months' THEN 'quarterly' WHEN '6 months' THEN 'half-yearly' WHEN '12 months' THEN 'yearly'
		WHEN '1 weeks' THEN 'weekly' WHEN '2 weeks' THEN 'fortnightly' WHEN '7 days' THEN 'weekly'
		WHEN '14 days' THEN 'fortnightly' ELSE 'every ' || t.period || ' ' || t.period_units END`, "t.", t+".")
}

// lineColumns are those of a line of a template or a purchase.
func lineColumns() []column {
	return []column{
		count("line", "l.n", "Counted from 1"),
		text("product", "l.v->>'name'", "What it is"),
		amount("price", "coalesce((l.v->>'price')::bigint, 0)", "Price of one, VAT included"),
		word("quantity", "l.v->>'quantity'", "How many"),
		amount("discount", "coalesce((l.v->>'discount')::bigint, 0)", "Discount of the line"),
		word("tax_percent", "l.v->>'tax_percent'", "VAT in percent"),
		text("category", "l.v->>'category'", "Category"),
		amount("total_override", "(l.v->>'total_price_override')::bigint",
			"Total of the line, where it is not price by quantity"),
	}
}

// ownLines is what the products of a subscriber's own terms come to; null where there are none.
const ownLines = `(SELECT sum(coalesce((l->>'total_price_override')::bigint, round((l->>'price')::numeric *
	(l->>'quantity')::numeric)::bigint - coalesce((l->>'discount')::bigint, 0))) FROM jsonb_array_elements(
	CASE jsonb_typeof(x.override->'products') WHEN 'array' THEN x.override->'products' ELSE '[]' END) AS l)`

const linesOf = ` CROSS JOIN LATERAL jsonb_array_elements(CASE jsonb_typeof(x.details->'products') WHEN 'array'
	THEN x.details->'products' ELSE '[]' END) WITH ORDINALITY AS l (v, n)`

func subscriptionFiles() []file {
	return []file{
		{name: "templates.csv", holds: "Templates of subscriptions and of invoices", tables: []string{"billing_templates"},
			from: "billing_templates x", order: "x.id", columns: []column{
				word("template_id", "x.id", "The template’s id here"),
				word("brand_id", "x.brand_id", "The brand that bills"),
				text("template", "x.title", "Title"),
				yesNo("is_subscription", "x.is_subscription", "Whether it bills again and again"),
				word("currency", "x.currency", "Currency"),
				amount("amount", "x.total_cents", "Total of one invoice"),
				word("cycle", cycleWord("x"), "How often it bills"),
				count("period", "x.period", "How many units a period has"),
				word("period_units", "x.period_units", "months, weeks or days"),
				count("due_period", "x.due_period", "How long after billing an invoice is due"),
				word("due_units", "x.due_units", "In months, weeks or days"),
				yesNo("charge_at_end", "x.charge_at_end", "Whether a period is billed at its end"),
				count("trial_periods", "x.trial_periods", "Free periods at the beginning"),
				count("cycles", "x.cycles", "How many periods are billed; empty: no end"),
				yesNo("paused", "x.paused", "Whether it is paused for all"),
				document("price_change", "x.price_change", "Another price from a day on"),
				text("notes", "x.details->>'notes'", "Notes on the invoice"),
				moment("created_at", "x.created_at", "When it was made"),
				moment("deleted_at", "x.deleted_at", "When it was deleted"),
			}},
		{name: "template_lines.csv", holds: "Products of the templates", from: "billing_templates x" + linesOf, lines: true,
			order: "x.id, l.n", columns: append([]column{
				word("template_id", "x.id", "The template"),
				word("currency", "x.currency", "Currency"),
			}, lineColumns()...)},
		{name: "subscriptions.csv", holds: "Who subscribes to what, and when the next period is billed",
			tables: []string{"template_clients"}, from: "template_clients x" + clientOf +
				" JOIN billing_templates t ON t.id = x.template_id LEFT JOIN tokens k ON k.id = x.token_id", order: "x.id",
			columns: append(append([]column{word("subscription_id", "x.id", "Its id here")}, whose()...),
				word("template_id", "x.template_id", "The template, as in templates.csv"),
				text("template", "t.title", "Its title"),
				word("status", "x.status", "pending, active, subscription_paused or inactive"),
				text("why", "x.why", "Why it is paused or over"),
				yesNo("paused", "x.status = 'subscription_paused' OR t.paused", "Whether nothing is billed now"),
				word("currency", "t.currency", "Currency"),
				amount("amount", "coalesce((x.override->>'total_override')::bigint, "+ownLines+", t.total_cents)",
					"Each period: the subscriber’s own total or products, or the template’s total; own_terms may change it "+
						"further"),
				word("cycle", cycleWord("t"), "How often it bills"),
				count("day", "extract(day FROM coalesce(x.anchor, x.first_on))::int", "Day of the month from which periods count"),
				day("first_on", "x.first_on", "Date of the first charge"),
				day("next_debit", "x.next_on", "When the next period is billed; empty: none"),
				day("last_debit", "k.last_used_at + interval '2 hours'", "When its account was debited last"),
				count("passed", "x.passed", "Periods billed so far"),
				count("remaining", "CASE WHEN t.cycles IS NOT NULL THEN greatest(t.cycles - x.passed, 0) END",
					"Periods still to be billed; empty: no end"),
				word("token_id", "x.token_id", "The account that is charged, as in accounts.csv"),
				text("subscription_reference", "x.reference", "Reference on its invoices"),
				document("own_terms", "x.override", "What differs from the template, amounts in cents"),
				document("switches", "x.switches", "Which mails are sent"),
				document("debicheck", "x.debit", "DebiCheck fields of the subscription"),
				number("debtor_account", "x.debit->>'debtor_account_number'", "Account number among them",
					sealed{from: "x.debit_sealed", table: "template_clients", column: "debit_sealed", part: "a"}),
				number("debtor_id", "x.debit->>'debtor_id_number'", "Identity number among them",
					sealed{from: "x.debit_sealed", table: "template_clients", column: "debit_sealed", part: "i"}),
				moment("activated_at", "x.activated_at", "When it began"),
				moment("created_at", "x.created_at", "When it was added"),
			)},
		{name: "periods.csv", holds: "Periods of subscriptions that were billed or skipped",
			tables: []string{"billing_periods"}, from: "billing_periods x", order: "x.template_client_id, x.starts_on",
			columns: []column{
				word("subscription_id", "x.template_client_id", "The subscription"),
				day("starts_on", "x.starts_on", "First day of the period"),
				day("billed_on", "x.billed_on", "When it was billed"),
				word("purchase_id", "x.purchase_id", "The purchase; empty: it was skipped"),
				text("skipped", "x.skipped", "Why it was skipped"),
			}},
		{name: "price_letters.csv", holds: "Letters to subscribers about another price", tables: []string{"price_letters"},
			from: "price_letters x", order: "x.change_id, x.n", columns: []column{
				word("change_id", "x.change_id", "The change of the price"),
				count("number", "x.n", "Counted for each change"),
				word("template_id", "x.template_id", "The template"),
				word("client_id", "x.client_id", "The client"),
				day("from_day", "x.from_day", "From when the price holds"),
				word("state", "x.state", "Whether it was sent"),
				document("words", "x.words", "What it says"),
			}},
	}
}
