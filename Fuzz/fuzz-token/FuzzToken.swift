// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchFoundation
import LatchJOSE

private let algorithms: [SignatureAlgorithm] = [.es256, .eddsa, .hs256]
private let verifier = JWTVerifier(
    keys: KeySet(algorithms.compactMap { try? Key.generate($0) }), algorithms: algorithms)
private let contents: [ContentEncryptionAlgorithm] = [.a128GCM, .a128CBCHS256]
private let encryptionKeys = [
    try? EncryptionKey.generate(.ecdhESA128KW, curve: .x25519), try? EncryptionKey.generate(.ecdhES),
    try? EncryptionKey.generate(.a128KW), try? EncryptionKey.generate(.a128GCMKW),
    try? EncryptionKey.generate(.rsaOAEP),
    try? EncryptionKey(password: [1], iterations: 1000),
].compactMap(\.self)
private let decrypter = JWEDecrypter(
    keys: KeySet(encryptionKeys: encryptionKeys), algorithms: encryptionKeys.map(\.algorithm),
    contentEncryption: contents)

/// Reads bytes as a token: its claims can be read, whatever they hold, and without a key nothing is believed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzToken(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = String(decoding: bytes(data, count), as: UTF8.self)
    hold((try? verifier.verify(text)) == nil, "nobody can sign without a key")
    // The seeds are for other keys; everyone may encrypt for a public key, but not in so few steps.
    hold((try? decrypter.decrypt(text)) == nil, "nothing is decrypted that was not encrypted for the key")
    if let claims = try? JWT(unverified: text).claims {
        let dates = [claims.expiry, claims.notBefore, claims.issuedAt]
        hold(dates.allSatisfy { $0?.timeIntervalSince1970.isFinite ?? true }, "dates are dates")
        hold(claims.audience.count <= count, "the audience is that of the token")
    }
    return 0
}
