// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE

/// A public key whose private half nobody has: the key of RFC 9421's examples, whose signatures are of another message.
private let key: Key? = try? Key(jwk: [
    "kty": "OKP", "crv": "Ed25519", "kid": "test-key-ed25519", "x": "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs",
])

/// Reads three lines as the fields of a signature and as a field that it may cover: nothing is ever believed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSignatureInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let lines = bytes(data, count).split(separator: 0x0A, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    var request = HTTPRequest(
        method: .post, authority: "fuzz.example", path: "/a/b?c=d&c=e&f=%2B+", body: HTTPBody("x"))
    request.fields["Signature-Input"] = lines[0]
    if lines.count > 1 { request.fields["Signature"] = lines[1] }
    if lines.count > 2 { request.fields["Example"] = lines[2] }
    guard let key else { return 0 }
    if let valid = try? MessageVerifier.countValid(request, with: key) { hold(valid == 0, "no signature is believed") }
    if let digest = try? ContentDigest(parsing: lines[0]) {
        hold((try? ContentDigest(parsing: digest.fieldValue)) == digest, "digests read back")
    }
    return 0
}
