// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchCore
import LatchJOSE

private let labels = ["PUBLIC KEY", "PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY", "RSA PUBLIC KEY"]

/// Reads bytes as a PEM text, and as the DER within one of each label: what is a key can be written and read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPEM(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = bytes(data, count)
    check(String(decoding: input, as: UTF8.self))
    guard input.count < 4_096 else { return 0 }
    var digits = Base64URL.encode(input).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
    while digits.count % 4 != 0 { digits.append("=") }
    for label in labels { check("-----BEGIN \(label)-----\n\(String(digits))\n-----END \(label)-----\n") }
    return 0
}

private func check(_ text: String) {
    guard let key = try? Key(pem: text) else { return }
    hold((try? Key(pem: key.pem()).thumbprint) == key.thumbprint, "a public half is read again")
    guard key.canSign else { return }
    let again = try? Key(pem: key.pemWithSecretsForStorage(), algorithm: key.algorithm)
    hold(again?.thumbprint == key.thumbprint && again?.canSign == true, "a whole key is read again")
}
