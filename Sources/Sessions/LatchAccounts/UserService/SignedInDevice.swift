// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
public import LatchFoundation
import LatchHTTP
import LatchJOSE

/// A device on which the user is signed in.
public struct SignedInDevice: Sendable, Hashable, Codable, Identifiable {
    /// The server's identifier of the device.
    public let id: String
    /// The name, such as that of the browser; nil if the server knows none.
    public let name: String?
    /// The date of the last request; nil if the server does not state it.
    public let lastUse: Date?
    /// Whether this program runs on the device.
    public let isCurrent: Bool

    /// Creates a device.
    public init(id: String, name: String? = nil, lastUse: Date? = nil, isCurrent: Bool = false) {
        self.id = id
        self.name = name
        self.lastUse = lastUse
        self.isCurrent = isCurrent
    }
}

extension AuthClient {
    /// Returns the devices on which the user is signed in.
    public func devices() async throws -> [SignedInDevice] {
        let members = try await call("GetActiveDevices")
        let current = currentDeviceID
        return (members["devices"]?.arrayValue ?? []).compactMap { value in
            guard let device = value.objectValue, let id = device.filled("id") else { return nil }
            return SignedInDevice(
                id: id, name: device.filled("name"), lastUse: device.timestamp("lastSeen"), isCurrent: id == current)
        }
    }

    /// Signs a device out.
    ///
    /// - Throws: `AccountError.refused` with the server's code `noSuchDevice` if the device is already signed out.
    public func signOut(device id: String) async throws {
        _ = try await call("RevokeDevice", ["deviceId": .string(id)])
    }

    /// Signs the user out on all other devices.
    ///
    /// A device that has already signed out does not cause an error.
    public func signOutOtherDevices() async throws {
        for device in try await devices() where !device.isCurrent {
            do {
                try await signOut(device: device.id)
            } catch let error as AccountError where error.status == .notFound {
                continue
            }
        }
    }

    /// The identifier of this device: the `sid` of the access token; nil for tokens of other backends.
    private var currentDeviceID: String? {
        guard let access = session.currentState.credential?.access else { return nil }
        return (try? JWT(unverified: access)).flatMap { $0.claims.members["sid"]?.stringValue }
    }
}
