// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import Testing

@Suite struct PBKDF2Tests {
    private func key(_ password: String, _ salt: String, _ rounds: Int, _ hash: PBKDF2.Hash, _ count: Int) throws
        -> String
    {
        let key = try PBKDF2.deriveKey(
            password: SymmetricKey(data: password.utf8), salt: Array(salt.utf8), iterations: rounds, hash: hash,
            outputByteCount: count)
        return key.withUnsafeBytes { hexadecimal(Array($0)) }
    }

    @Test func `A key of a password derives the keys of RFC 7914 §11 and of Python's hashlib`() throws {
        try expectEqual(
            key("passwd", "salt", 1, .sha256, 64),
            "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
                + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783")
        try expectEqual(
            key("Password", "NaCl", 80000, .sha256, 64),
            "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"
                + "a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d")
        try expectEqual(key("password", "salt", 4096, .sha512, 20), "d197b1b33db0143e018b12f3d1d1479e6cdebdcc")
        try expectEqual(key("password", "salt", 4096, .sha384, 20), "559726be38db125bc85ed7895f6e3cf574c7a01c")
    }

    @Test(arguments: [(0, 16), (-1, 16), (Int(Int32.max) + 1, 16), (1, 0), (1, 1025)])
    func `A key of a password refuses iterations and lengths out of bounds`(rounds: Int, count: Int) throws {
        #expect { try key("p", "s", rounds, .sha256, count) } throws: { CryptoError.unacceptableParameter ~= $0 }
    }
}
