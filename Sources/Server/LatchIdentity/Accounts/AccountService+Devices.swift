// SPDX-License-Identifier: Apache-2.0

extension AccountService {
    /// Returns the devices on which an account is signed in, the most recently used first.
    package func devices(of id: String) async throws(IdentityError) -> [Device] {
        try await dependencies.store.devices(of: id, at: dependencies.now)
    }

    /// Signs out one device of an account, for the operator.
    ///
    /// - Parameter device: The public id.
    /// - Returns: False if the account is not signed in on such a device.
    package func endSession(ofDevice device: String, of id: String) async throws(IdentityError) -> Bool {
        guard let bytes = Device.id(fromPublicID: device) else { return false }
        return try await dependencies.store.revoke(
            device: bytes, ownedBy: id, because: .administrator, at: dependencies.now)
    }
}
