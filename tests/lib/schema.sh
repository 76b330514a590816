# SPDX-License-Identifier: GPL-2.0-only
# Validates JSON output with its schema, with Debian's Python, which has the module that `make setup` installs.

# have_schemas: succeeds if the validator is installed
have_schemas() {
	/usr/bin/python3 -c 'import jsonschema' 2>/dev/null
}

NO_SCHEMAS='needs python3-jsonschema (sudo make setup installs it)'

# The script reads one or more JSON documents, and prints nothing if all are valid.
cat >"$TMP/validate.py" <<'END'
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
validator = jsonschema.Draft202012Validator(schema)
validator.check_schema(schema)
text = open(sys.argv[2]).read()
decoder = json.JSONDecoder()
documents = 0
while text.strip():
    document, end = decoder.raw_decode(text.lstrip())
    text = text.lstrip()[end:]
    documents += 1
    for error in validator.iter_errors(document):
        sys.exit("/%s: %s" % ("/".join(map(str, error.absolute_path)), error.message))
if not documents:
    sys.exit("no document")
END

# valid SCHEMA FILE
valid() {
	/usr/bin/python3 "$TMP/validate.py" "$1" "$2"
}
