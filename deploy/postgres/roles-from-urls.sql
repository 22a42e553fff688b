-- Runs roles.sql with the passwords of the URLs in these files.
\set owner_password `sed 's/.*:\(.*\)@.*/\1/' "$OWNER_URL_FILE"`
\set gateway_password `sed 's/.*:\(.*\)@.*/\1/' "$GATEWAY_URL_FILE"`
\set portal_password `sed 's/.*:\(.*\)@.*/\1/' "$PORTAL_URL_FILE"`
\set bank_password `sed 's/.*:\(.*\)@.*/\1/' "$BANK_URL_FILE"`
\set serving_password `sed 's/.*:\(.*\)@.*/\1/' "$SERVING_URL_FILE"`
\ir roles.sql
