-- +goose Up
-- Letters of prices that left or were ended, by the day from which the price is billed: they go some time after it.
CREATE INDEX price_letters_over ON price_letters (from_day) WHERE state <> 'waiting';

-- +goose Down
DROP INDEX price_letters_over;
