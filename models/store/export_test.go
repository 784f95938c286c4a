package store

// Tables are all of them.
var Tables = map[string]interface{ Stored() []string }{
	"account_verifications": verificationTable, "amendments": amendmentTable, "api_requests": requestTable,
	"approvals":     approvalTable,
	"audit_entries": auditTable, "batches": batchTable, "billing_periods": periodTable, "billing_templates": templateTable,
	"brands":  brandTable,
	"clients": clientTable, "collections": collectionTable, "company_statements": statementTable,
	"credentials":    credentialTable,
	"debit_profiles": profileTable, "deliveries": deliveryTable, "events": eventTable, "invitations": invitationTable,
	"invoices":       invoiceTable,
	"ledger_entries": entryTable, "mails": mailTable, "mandate_authentications": authenticationTable,
	"mandate_evidence": evidenceTable,
	"mandates":         mandateTable, "merchants": merchantTable, "passkeys": passkeyTable, "password_resets": resetTable,
	"purchases": purchaseTable,
	"refunds":   refundTable, "sessions": sessionTable, "sign_in_failures": throttleTable, "simulations": simulationTable,
	"template_clients": subscriberTable, "token_deletions": deletionTable, "tokens": tokenTable, "users": userTable,
	"webhooks": webhookTable, "batch_rows": lineTable,
}
