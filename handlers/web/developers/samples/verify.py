# pip install cryptography
import base64
import binascii

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding


def verify(public_key: bytes, body: bytes, signature: str) -> bool:
    """Tells whether the body, byte for byte as it arrived, was signed with the
    key of the webhook. signature is the header X-Signature."""
    key = serialization.load_pem_public_key(public_key)
    try:
        raw = base64.b64decode(signature, validate=True)
        key.verify(raw, body, padding.PKCS1v15(), hashes.SHA256())
    except (InvalidSignature, binascii.Error):
        return False
    return True
