// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchCore
import LatchJOSE

private let algorithms: [SignatureAlgorithm] = [.es256, .eddsa, .hs256]
private let keys = KeySet(algorithms.compactMap { try? Key.generate($0) })

/// Reads bytes as signed bytes in JSON, and as a compact text whose payload is elsewhere: without a key nothing is
/// believed, and what is signed here is read back with the bytes as its payload and as a header.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDocument(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = bytes(data, count)
    for requirement in [JWSDocument.Requirement.every, .one] {
        let believed = try? JWSDocument(
            verifying: input, keys: keys, algorithms: algorithms, requiring: requirement,
            detachedPayload: requirement == .one ? [1] : nil, understanding: ["exp"])
        hold(believed == nil, "nobody can sign without a key")
    }
    let text = String(decoding: input, as: UTF8.self)
    hold(
        (try? JWS(verifying: text, detachedPayload: [1], keys: keys, algorithms: algorithms)) == nil,
        "nobody can sign without a key")
    signAndRead(input)
    return 0
}

/// Whatever can be signed can be read.
private func signAndRead(_ input: [UInt8]) {
    let members = (try? JSONValue(parsing: input).objectValue) ?? [:]
    let signer = JWSDocument.Signer(keys.keys[2], protected: members, unprotected: ["note": "x"])
    for encoding in [JWSEncoding.base64url, .unencoded] {
        guard let document = try? JWSDocument.sign(input, by: [signer], encoding: encoding) else { continue }
        // Members of the input may demand what nobody here understands.
        guard members["crit"] == nil else { continue }
        let read = try? JWSDocument(verifying: document.serialized(), keys: keys, algorithms: algorithms)
        hold(read?.payload == input, "what is signed is read back")
    }
}
