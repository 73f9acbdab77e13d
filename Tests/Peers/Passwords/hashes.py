# SPDX-License-Identifier: Apache-2.0
"""hashes.py SEED COUNT: password hashes by other implementations, cheap ones, for the parser of imported hashes.

Prints one line for each: a JSON object with the format's name, the hash and its password. COUNT is for each format, which
divides it among its functions; better-auth's cost is fixed, so it has a fiftieth of them.
"""

import base64
import collections
import ctypes
import hashlib
import hmac
import json
import os
import random
import struct
import sys


import bcrypt
import django
import firebase_scrypt
import passlib.hash
from argon2.low_level import Type, hash_secret
from django.conf import settings
from django.contrib.auth import hashers
from werkzeug.security import generate_password_hash

settings.configure()
django.setup()
# passlib would call the library that the server calls.
for hasher in (passlib.hash.sha256_crypt, passlib.hash.sha512_crypt, passlib.hash.md5_crypt):
    hasher.set_backend("builtin")


class CheapArgon2(hashers.Argon2PasswordHasher):
    time_cost, memory_cost, parallelism = 1, 128, 8


class CheapBCrypt(hashers.BCryptPasswordHasher):
    rounds = 4


class CheapBCryptSHA256(hashers.BCryptSHA256PasswordHasher):
    rounds = 4


def argon2_hash(kind, version):
    def make(password):
        return hash_secret(password.encode(), os.urandom(16), 1, 64, 2, 24, kind, version).decode()
    return make


def bcrypt_hash(password, prefix=b"2b"):
    salt = bcrypt.gensalt(4, b"2b").replace(b"$2b$", b"$" + prefix + b"$")
    return bcrypt.hashpw(password if isinstance(password, bytes) else password.encode(), salt).decode()


def wordpress(password):
    code = hmac.new(b"wp-sha384", password.encode(), "sha384").digest()
    return "$wp" + bcrypt_hash(base64.b64encode(code), b"2b").replace("$2b$", "$2y$")


def better_auth(password):
    salt = os.urandom(16).hex()
    key = hashlib.scrypt(password.encode(), salt=salt.encode(), n=16384, r=16, p=1, dklen=64, maxmem=1 << 26)
    return f"{salt}:{key.hex()}"


SIGNER_KEY = base64.b64encode(os.urandom(64)).decode()


def firebase(password):
    salt, separator = base64.b64encode(os.urandom(12)).decode(), "Bw=="
    key = firebase_scrypt.generate_derived_key(password, salt, separator, 8, 4)
    digest = base64.b64encode(firebase_scrypt.encrypt(base64.b64decode(SIGNER_KEY), key)).decode()
    return f"$firescrypt$ln=4,r=8,p=1${salt}${digest}${separator}${SIGNER_KEY}"


def kratos(name, bits):
    def make(password):
        salt = os.urandom(16)
        key = hashlib.pbkdf2_hmac(name, password.encode(), salt, 20, bits // 8)
        text = [base64.b64encode(one).decode().rstrip("=") for one in (salt, key)]
        return f"$pbkdf2-{name}$i=20,l={bits // 8}${text[0]}${text[1]}"
    return make


def aspnet(function):
    def make(password):
        salt = os.urandom(16)
        if function is None:
            key = hashlib.pbkdf2_hmac("sha1", password.encode(), salt, 1000, 32)
            return "aspnet$" + base64.b64encode(b"\0" + salt + key).decode()
        name = ("sha1", "sha256", "sha512")[function]
        key = hashlib.pbkdf2_hmac(name, password.encode(), salt, 20, 32)
        return base64.b64encode(b"\1" + struct.pack(">III", function, 20, 16) + salt + key).decode()
    return make


library = ctypes.CDLL("libcrypt.so.1")
library.crypt.restype = ctypes.c_char_p
library.crypt_gensalt.restype = ctypes.c_char_p


def yescrypt(password):
    salt = library.crypt_gensalt(b"$y$", ctypes.c_ulong(1), os.urandom(16), 16)
    return library.crypt(password.encode(), salt).decode()


def salt():
    return "".join(random.choice("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") for _ in range(22))


MAKERS = [
    ("argon2", argon2_hash(Type.ID, 19)), ("argon2", argon2_hash(Type.ID, 16)), ("argon2", argon2_hash(Type.I, 19)),
    ("argon2", argon2_hash(Type.I, 16)), ("argon2", argon2_hash(Type.D, 19)), ("argon2", argon2_hash(Type.D, 16)),
    ("django-argon2", lambda p: CheapArgon2().encode(p, salt())),
    ("bcrypt", bcrypt_hash), ("bcrypt", lambda p: bcrypt_hash(p, b"2a")), ("bcrypt", lambda p: bcrypt_hash(p, b"2y")),
    ("django-bcrypt", lambda p: CheapBCrypt().encode(p, bcrypt.gensalt(4))),
    ("django-bcrypt-sha256", lambda p: CheapBCryptSHA256().encode(p, bcrypt.gensalt(4))),
    ("wordpress", wordpress),
    ("scrypt", passlib.hash.scrypt.using(rounds=4, block_size=4, parallelism=2).hash),
    ("django-scrypt", lambda p: hashers.ScryptPasswordHasher().encode(p, salt(), 16, 8, 2)),
    ("werkzeug-scrypt", lambda p: generate_password_hash(p, "scrypt:256:8:1")),
    ("better-auth", better_auth), ("firebase", firebase),
    ("pbkdf2", passlib.hash.pbkdf2_sha1.using(rounds=20).hash),
    ("pbkdf2", passlib.hash.pbkdf2_sha256.using(rounds=20).hash),
    ("pbkdf2", passlib.hash.pbkdf2_sha512.using(rounds=20, salt_size=17).hash),
    ("pbkdf2", kratos("sha1", 512)), ("pbkdf2", kratos("sha256", 256)), ("pbkdf2", kratos("sha512", 512)),
    ("django-pbkdf2", lambda p: hashers.PBKDF2PasswordHasher().encode(p, salt(), 20)),
    ("django-pbkdf2", lambda p: hashers.PBKDF2SHA1PasswordHasher().encode(p, salt(), 20)),
    ("werkzeug-pbkdf2", lambda p: generate_password_hash(p, "pbkdf2:sha256:20")),
    ("werkzeug-pbkdf2", lambda p: generate_password_hash(p, "pbkdf2:sha1:20")),
    ("werkzeug-pbkdf2", lambda p: generate_password_hash(p, "pbkdf2:sha512:20")),
    ("aspnet", aspnet(None)), ("aspnet", aspnet(0)), ("aspnet", aspnet(1)), ("aspnet", aspnet(2)),
    ("sha-crypt", passlib.hash.sha256_crypt.using(rounds=1000).hash),
    ("sha-crypt", passlib.hash.sha512_crypt.using(rounds=1000).hash),
    ("md5-crypt", passlib.hash.md5_crypt.hash), ("yescrypt", yescrypt),
    ("phpass", passlib.hash.phpass.using(rounds=7).hash),
    ("phpass", lambda p: "$H$" + passlib.hash.phpass.using(rounds=7, ident="$H$").hash(p)[3:]),
    ("ldap", passlib.hash.ldap_sha1.hash), ("ldap", passlib.hash.ldap_salted_sha1.hash),
    ("ldap", passlib.hash.ldap_salted_sha256.hash), ("ldap", passlib.hash.ldap_salted_sha512.hash),
]
ALPHABETS = [
    [chr(code) for code in range(0x20, 0x7F)],
    [chr(code) for code in range(0xA0, 0x250)],
    [chr(code) for code in range(0x20, 0x3000)] + [chr(code) for code in range(0x1F300, 0x1F600)],
]


def password():
    alphabet = random.choice(ALPHABETS)
    return "".join(random.choice(alphabet) for _ in range(random.choice((1, 8, 12, 20, 40, 80))))


def main():
    random.seed(int(sys.argv[1]))
    ways = collections.Counter(name for name, _ in MAKERS)
    for name, make in MAKERS:
        count = -(-int(sys.argv[2]) // ways[name])
        for _ in range(count if name != "better-auth" else max(count // 50, 1)):
            word = password()
            print(json.dumps({"format": name, "hash": make(word), "password": word}))


main()
