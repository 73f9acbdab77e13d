// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchJOSE

extension SignIns {
    /// The devices on which the account is signed in, the last used first.
    func devices(of accountID: String) async throws(IdentityError) -> [Device] {
        try await parts.store.devices(of: accountID, at: parts.clock.now)
    }

    /// Signs out one device of an account by the id that its list shows.
    ///
    /// - Returns: False where the account has no such device: somebody else's is none (attack G4).
    func signOut(device id: String, of accountID: String) async throws(IdentityError) -> Bool {
        guard let bytes = Self.deviceID(id) else { return false }
        let isOut = try await parts.store.revoke(
            device: bytes, ownedBy: accountID, because: .logout, at: parts.clock.now)
        if isOut { parts.metrics.count("latch_families_revoked_total") }
        return isOut
    }

    /// Keeps where messages to the bearer's own device are pushed.
    ///
    /// - Throws: `IdentityError.invalidInput` where the token is longer than any.
    func setPushToken(_ token: String?, of bearer: Bearer) async throws(IdentityError) {
        guard (token ?? "").utf8.count <= 4096 else { throw .invalidInput("'push_token' is longer than 4096 bytes") }
        _ = try await parts.store.setPushToken(token, of: bearer.device.id, ownedBy: bearer.accountID)
    }

    /// The bytes of an id as it is shown; nil where it cannot be one.
    private static func deviceID(_ text: String) -> [UInt8]? {
        guard text.utf8.count == 22, case .success(let bytes) = Result(catching: { try Base64URL.decode(text) }) else {
            return nil
        }
        return bytes.count == 16 ? bytes : nil
    }
}

extension Device {
    /// The id as its owner sees it, which is the `sid` of its access tokens.
    var shownID: String { Base64URL.encode(id) }
}
