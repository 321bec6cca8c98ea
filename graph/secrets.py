"""Which files may hold a secret, by their names: they are never read, indexed, searched or shown.

The rule that must stay true: a miss here can put a key into an answer or send it to an upstream, a false alarm only
leaves out a file. Names that programs share with source files (`secrets.py`) are not in it.
"""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["is_secret"]

_NAMES = frozenset(
    {".netrc", "_netrc", ".pgpass", ".npmrc", ".pypirc", ".htpasswd", ".git-credentials", ".dockercfg", ".vault-pass"}
    | {"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "credentials", "credentials.json"}
    | {"service-account.json", "master.key", "secring.gpg", ".vault_pass", "terraform.tfstate"}
)
_SUFFIXES = (
    *(
        ".pem",
        ".key",
        ".p12",
        ".pfx",
        ".jks",
        ".keystore",
        ".ppk",
        ".kdbx",
        ".pkcs12",
        ".p8",
        ".asc",
        ".gpg",
        ".tfvars",
    ),
    ".tfstate.backup",
)
_ENVIRONMENT = re.compile(r"\.env(rc)?([.\-_].*)?|.+\.env")
_TEMPLATE = re.compile(r".*[.\-_](example|sample|template|dist|defaults?)")
_SECRET_DATA = re.compile(r"\.?secrets?(\.[^.]+)*\.(ya?ml|json|toml|ini|txt|properties)")
_FOLDERS = frozenset({".ssh", ".aws", ".gnupg", ".kube"})


def is_secret(path: str) -> bool:
    """Say whether the name of a file says that it holds keys, passwords or tokens; `.env.example` does not."""
    folder, _, name = path.lower().rpartition("/")
    # The plain words are looked for first: every file of a repository is asked about at every look at the disk.
    if ".env" in name and _ENVIRONMENT.fullmatch(name):
        return not _TEMPLATE.fullmatch(name)
    return (
        name in _NAMES
        or name.endswith(_SUFFIXES)
        or ("secret" in name and _SECRET_DATA.fullmatch(name) is not None)
        or _is_secret_folder(folder)
    )


@lru_cache(maxsize=10_000)
def _is_secret_folder(folder: str) -> bool:
    return not _FOLDERS.isdisjoint(folder.split("/"))
