package words

import (
	"strings"

	"github.com/google/uuid"
)

func AmendmentPath(id uuid.UUID, more string) string { return "/amendments/" + id.String() + more }

func ApprovalPath(id uuid.UUID) string { return "/approvals/" + id.String() }

func BatchHref(id uuid.UUID, step string) string { return "/batches/" + id.String() + "/" + step }

func ClientHref(id uuid.UUID) string { return "/clients/" + id.String() }

func MandatePath(id uuid.UUID, more ...string) string {
	return strings.Join(append([]string{"/mandates/" + id.String()}, more...), "/")
}

func PurchasePath(id uuid.UUID, more ...string) string {
	return strings.Join(append([]string{"/purchases/" + id.String()}, more...), "/")
}

func BrandHref(id uuid.UUID) string { return "/settings/brands/" + id.String() }

// StrandedPath and UnfitPath are the lists of subscribers who need attention.
const (
	StrandedPath = TemplatesPath + "/without-account"
	UnfitPath    = TemplatesPath + "/not-allowed"
)

const TemplatesPath = "/templates"

func TemplateHref(id uuid.UUID, more string) string { return "/templates/" + id.String() + more }

func TokenPath(id uuid.UUID) string { return "/tokens/" + id.String() }

const WebhooksPath = "/developers/webhooks"

func WebhookPath(id uuid.UUID, more ...string) string {
	return strings.Join(append([]string{WebhooksPath, id.String()}, more...), "/")
}
