-- +goose Up
-- Clients are found by any part of their phone number: its ends are words of the client, see phoneParts.
UPDATE clients SET search = search || array_to_tsvector(ARRAY(
        SELECT substr(phone, n) FROM generate_series(3, length(phone) - 3) AS n))
    WHERE phone ~ '^[0-9]{6,15}$';

-- +goose Down
UPDATE clients SET search = ts_delete(search, ARRAY(
        SELECT substr(phone, n) FROM generate_series(3, length(phone) - 3) AS n))
    WHERE phone ~ '^[0-9]{6,15}$';
