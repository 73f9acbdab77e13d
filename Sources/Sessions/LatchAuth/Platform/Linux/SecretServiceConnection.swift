// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CLatchSecret
import LatchFoundation

/// A connection to the user's Secret Service for use on one thread.
final class SecretServiceConnection {
    private let connection: OpaquePointer

    /// Connects, if the environment names a bus.
    ///
    /// - Parameter limit: The time limit for all calls on the connection together, without prompts.
    /// - Throws: `AuthError.storeUnavailable` with the reason.
    init(limit: Duration = SecretServiceStore.usualLimit) throws {
        // Otherwise GLib would start a separate bus without other programs.
        guard Self.hasBus(in: ProcessInfo.processInfo.environment) else {
            throw Self.error(latch_secret_no_service, "there is no session bus here")
        }
        var opened: OpaquePointer?
        try Self.check(latch_secret_open(&opened, Int64(limit / .milliseconds(1))))
        guard let opened else { throw AuthError.storeUnavailable }
        connection = opened
    }

    deinit { latch_secret_close(connection) }

    /// Whether an environment names a session bus (D-Bus Specification, "Well-known Message Bus Instances").
    static func hasBus(in environment: [String: String]) -> Bool {
        if environment["DBUS_SESSION_BUS_ADDRESS"]?.isEmpty == false { return true }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.utf8.first == 0x2F else { return false }
        return FileManager.default.fileExists(atPath: folder + "/bus")
    }

    /// Returns the address of the session bus in an environment, for errors.
    private static func bus(in environment: [String: String]) -> String {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return address }
        return "unix:path=\(environment["XDG_RUNTIME_DIR"] ?? "")/bus"
    }

    /// Unlocks the keyring, with a prompt if that is allowed.
    func unlock(asking asks: Bool) throws { try Self.check(latch_secret_unlock(connection, asks)) }

    /// Returns an item's bytes; nil if the item does not exist.
    func read(_ key: SecretServiceKey) throws -> [UInt8]? {
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        guard try key.withCKey({ try Self.check(latch_secret_read(connection, $0, &bytes, &count)) }) else {
            return nil
        }
        defer { latch_secret_free(bytes, count) }
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    /// Creates or replaces an item.
    func write(_ bytes: [UInt8], to key: SecretServiceKey) throws {
        let label = "\(key.service): \(key.name)"
        try key.withCKey { try Self.check(latch_secret_write(connection, $0, label, bytes, bytes.count)) }
    }

    /// Removes an item.
    func remove(_ key: SecretServiceKey) throws {
        try key.withCKey { try Self.check(latch_secret_remove(connection, $0)) }
    }

    /// Returns the attribute `name` of all items of a key's service.
    func names(_ key: SecretServiceKey) throws -> [String] {
        var names: [String] = []
        _ = try withUnsafeMutablePointer(to: &names) { names in
            try key.withCKey { try Self.check(latch_secret_names(connection, $0, collectName, names)) }
        }
        return names
    }

    /// Throws the error of a failed call.
    ///
    /// - Returns: Whether the item exists; true if the call concerns no item.
    @discardableResult
    private static func check(_ result: Int32) throws -> Bool {
        switch Int(result) {
        case latch_secret_done: return true
        case latch_secret_missing: return false
        case let result: throw error(result, String(cString: latch_secret_reason()))
        }
    }

    /// Returns the `store…` code for a result; none of them means a sign-out.
    static func error(_ result: Int, _ reason: String) -> AuthError {
        let (error, hint): (AuthError, String?) =
            switch result {
            case latch_secret_locked:
                (
                    .storeLocked,
                    "Unlock the keyring, by signing in to the desktop or with its own program, and try again."
                )
            case latch_secret_denied:
                (.storeDenied, "Try again, and enter the keyring's password at the prompt.")
            case latch_secret_no_library:
                (.storeUnavailable, "Install libsecret (Debian: libsecret-1-0), or keep the secrets in a file.")
            case latch_secret_no_service:
                (.storeUnavailable, "Sign in to a desktop with a keyring, or keep the secrets in a file.")
            case latch_secret_silent:
                (
                    .storeUnavailable,
                    "Restart the keyring, or sign in to the desktop again. LATCH_SECRET_STORE=file keeps the secrets in a file."
                )
            case latch_secret_no_collection:
                (.storeUnavailable, "Create a default keyring with the desktop's program for keys and passwords.")
            default: (.storeUnavailable, nil)
            }
        let place = result == latch_secret_silent ? " on \(bus(in: ProcessInfo.processInfo.environment))" : ""
        return error.saying("\(error.message) (Secret Service\(place): \(reason))", hint: hint)
    }
}

extension SecretServiceKey {
    /// Calls `body` with the key as a C structure.
    @discardableResult
    fileprivate func withCKey<Result>(_ body: (latch_secret_key) throws -> Result) rethrows -> Result {
        try schema.rawValue.withCString { schema in
            try Self.attribute(service).withCString { service in
                try Self.attribute(name).withCString { name in
                    try body(latch_secret_key(schema: schema, service: service, name: name))
                }
            }
        }
    }
}

/// Adds a name to the array that the context points to.
@Sendable private func collectName(_ context: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?) {
    guard let context, let name else { return }
    context.assumingMemoryBound(to: [String].self).pointee.append(String(cString: name))
}
#endif
