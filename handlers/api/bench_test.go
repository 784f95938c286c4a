package api_test

import (
	"net/http"
	"testing"
	"time"

	"debitdesk/handlers/handlertest"
)

// BenchmarkPurchase is the whole way of POST /purchases/ but the socket.
func BenchmarkPurchase(b *testing.B) {
	h := handlertest.New(b)
	client := h.API("POST", "/clients/", map[string]any{"email": "thandi@example.com", "full_name": "Thandi Nkosi"}).Want(201).Text("id")
	text := body(h, client, due(h, 72*time.Hour))
	b.SetParallelism(8)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if a := h.API("POST", "/purchases/", text); a.Status != http.StatusCreated {
				b.Error(a.Body)
			}
		}
	})
}
