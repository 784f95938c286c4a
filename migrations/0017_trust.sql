-- +goose Up
-- Bank and identity numbers in full need a scope of their own. Credentials that got
-- them until now, which were all that may read or write clients, keep getting them;
-- exchanged tokens are credentials too.
UPDATE credentials SET scopes = array_append(scopes, 'numbers')
    WHERE scopes && ARRAY['read', 'write'] AND NOT 'numbers' = ANY (scopes);

-- +goose Down
UPDATE credentials SET scopes = array_remove(scopes, 'numbers');
