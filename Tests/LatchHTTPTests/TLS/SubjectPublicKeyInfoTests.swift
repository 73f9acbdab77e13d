// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchTesting
import Testing

@testable import LatchHTTP

@Suite(.enabled(if: TestIdentity.isPossible, "needs the openssl command"), .timeLimit(.minutes(2)))
struct SubjectPublicKeyInfoTests {
    /// Returns the encodings of a key by openssl: the SubjectPublicKeyInfo and the key alone.
    private func forms(of arguments: [String], in folder: String) async throws -> (whole: [UInt8], key: [UInt8]) {
        let identity = TestIdentity(folder: folder)
        try await identity.openssl(["genpkey", "-out", identity.path("key.pem")] + arguments)
        try await identity.openssl([
            "pkey", "-in", identity.path("key.pem"), "-pubout", "-outform", "DER", "-out", identity.path("whole.der"),
        ])
        let whole = try identity.bytes("whole.der")
        guard arguments.contains("RSA") else {
            // The point is at the end: one byte, and two numbers.
            let size = [91: 65, 120: 97, 158: 133][whole.count] ?? 0
            return (whole, Array(whole.suffix(size)))
        }
        try await identity.openssl([
            "rsa", "-in", identity.path("key.pem"), "-RSAPublicKey_out", "-outform", "DER", "-out",
            identity.path("key.der"),
        ])
        return (whole, try identity.bytes("key.der"))
    }

    @Test(arguments: ["P-256", "P-384", "P-521"])
    func `The pinned form of a public key is openssl's for a point on each curve`(curve: String) async throws {
        try await withTemporaryFolder { folder in
            let arguments = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:\(curve)"]
            let (whole, key) = try await forms(of: arguments, in: folder)
            expectEqual(SubjectPublicKeyInfo.encode(.point, key), whole)
        }
    }

    @Test(arguments: [1024, 2048, 3072])
    func `The pinned form of a public key is openssl's for a modulus of any size`(bits: Int) async throws {
        try await withTemporaryFolder { folder in
            let arguments = ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:\(bits)"]
            let (whole, key) = try await forms(of: arguments, in: folder)
            expectEqual(SubjectPublicKeyInfo.encode(.rsa, key), whole)
        }
    }

    @Test func `The pinned form of a public key does not exist for an unknown curve`() {
        expectNil(SubjectPublicKeyInfo.encode(.point, [UInt8](repeating: 4, count: 57)))
    }
}
