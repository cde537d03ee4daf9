# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# Part of vipu.sh: certificates, access keys, and their files.

pki=$dir/pki
mkdir "$pki"
# authority NAME; certificate AUTHORITY NAME SUBJECT-ALTERNATIVE-NAME
authority() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$1" \
		-keyout "$pki/$1.key" -out "$pki/$1.pem" 2>/dev/null
}
certificate() {
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$2" -keyout "$pki/$2.key" \
		-out "$pki/$2.csr" 2>/dev/null
	echo "subjectAltName=$3" >"$pki/$2.ext"
	openssl x509 -req -in "$pki/$2.csr" -CA "$pki/$1.pem" -CAkey "$pki/$1.key" -CAcreateserial -days 2 \
		-extfile "$pki/$2.ext" -out "$pki/$2.pem" 2>/dev/null
}
authority ca
authority stranger
certificate ca server IP:127.0.0.1
certificate ca elsewhere DNS:elsewhere.example
certificate ca client DNS:node
certificate stranger thief DNS:node
chmod 600 "$pki"/*.key

stop_emulator
start_emulator --tls-cert "$pki/server.pem" --tls-key "$pki/server.key" --client-ca "$pki/ca.pem"
tls() { conf 'Tls = yes' "CaFile = \"$pki/$1.pem\"" "CertFile = \"$pki/$2.pem\"" "CertKey = \"$pki/$2.key\""; }
tls ca client
does create --job=30 --ipus=4 --wait=10
has 'slurm_30 4 ACTIVE'
does remove --job=30
tls stranger client
fails 3 '^V-IPU controller .*its certificate is not trusted .*CaFile' version
fails 3 'slurm_30 of 4 IPUs cannot be created: .*not trusted' create --job=30 --ipus=4 --wait=25
# With CaFile, only that CA is trusted: the system store is not.
mkdir "$pki/machine"
cp "$pki/ca.pem" "$pki/machine/$(openssl x509 -hash -noout -in "$pki/ca.pem").0"
cp "$pki/ca.pem" "$pki/machine/ca-certificates.crt"
cc -shared -fPIC -o "$dir/machine_trusts.so" "$(dirname "$0")/machine_trusts.c" -ldl || exit 1
cat >"$dir/trusting" <<-END
	#!/bin/sh
	export MACHINE_CERTS="$pki/machine" ASAN_OPTIONS="\$ASAN_OPTIONS:verify_asan_link_order=0"
	LD_PRELOAD="$dir/machine_trusts.so" exec "$helper" "\$@"
END
chmod 755 "$dir/trusting"
trusting() { helper=$dir/trusting "$@"; }
conf 'Tls = yes' "CertFile = \"$pki/client.pem\"" "CertKey = \"$pki/client.key\""
trusting does version
tls stranger client
trusting fails 3 '^V-IPU controller .*its certificate is not trusted .*CaFile' version
tls ca thief
fails 3 '^V-IPU controller' version
conf 'Tls = yes' "CaFile = \"$pki/ca.pem\""
fails 3 '^V-IPU controller' version
conf 'Tls = yes' "CaFile = \"$pki/none.pem\""
fails 3 'none.pem: No such file' version
conf
fails 3 '^V-IPU controller' version
tls ca client
chmod 640 "$pki/client.key"
fails 4 'client.key: its mode is 640' version
chmod 600 "$pki/client.key"
chown nobody "$pki/client.key"
fails 4 'client.key: owned by uid' version
chown root "$pki/client.key"
chmod 666 "$pki/ca.pem"
fails 4 'ca.pem: its mode is 666' version
chmod 644 "$pki/ca.pem"
stop_emulator
start_emulator --tls-cert "$pki/elsewhere.pem" --tls-key "$pki/elsewhere.key"
conf 'Tls = yes' "CaFile = \"$pki/ca.pem\""
fails 3 'its certificate is not trusted' version
stop_emulator

# An access key is sent as metadata.
start_emulator --user alice --key 685X_K4uCzN
keys() { printf '%s\n' "$@" >"$dir/keys"; }
conf "MetadataFile = \"$dir/keys\""
keys '# of the pod' 'api-user-id: alice' 'api-access-key: 685X_K4uCzN'
chmod 600 "$dir/keys"
does create --job=31 --ipus=4 --wait=10
does remove --job=31
keys 'api-user-id: alice' 'api-access-key: GUESSED'
fails 4 'UNAUTHENTICATED' list
! grep -q GUESSED "$dir/err"
report 'no key in a message' $?
keys 'api-user-id: alice' 'GUESSED'
fails 1 'keys:2: a line must be "name: value"' list
! grep -q GUESSED "$dir/err"
report 'no key in a message about the file' $?
keys 'api-user-id: alice' 'grpc-timeout: 1H'
fails 1 'keys:2: invalid name: names that start with grpc-' list
keys 'api-user-id: alice' 'api-access-key: 685X_K4uCzN'
chmod 644 "$dir/keys"
fails 4 'keys: its mode is 644, .*holds a key: .*\(chmod go=\)' list
chmod 600 "$dir/keys"
chown nobody "$dir/keys"
fails 4 'keys: owned by uid' list
rm -f "$dir/keys"
fails 3 'keys: No such file' list
conf
fails 4 'UNAUTHENTICATED' list
stop_emulator
start_emulator
chmod 666 "$dir/tessera.conf"
fails 4 'tessera.conf: its mode is 666' list
chmod 644 "$dir/tessera.conf"
