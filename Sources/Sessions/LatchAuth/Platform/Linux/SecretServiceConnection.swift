// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CSecret
import Dispatch
import PortableFoundation

/// A connection to the user's Secret Service, for one thread.
final class SecretServiceConnection {
    private let connection: OpaquePointer

    /// Connects, where the environment names a bus.
    ///
    /// - Throws: `AuthError.storeUnavailable` with the reason.
    init() throws {
        // GLib would start a bus of its own, without other programs.
        guard Self.hasBus(in: ProcessInfo.processInfo.environment) else {
            throw Self.error(Int(latch_secret_no_service), "there is no session bus here")
        }
        var opened: OpaquePointer?
        try Self.call { latch_secret_open(&opened, $0, $1) }
        guard let opened else { throw AuthError.storeUnavailable }
        connection = opened
    }

    deinit { latch_secret_close(connection) }

    /// Whether an environment leads to a session bus (D-Bus Specification, "Well-known Message Bus Instances").
    static func hasBus(in environment: [String: String]) -> Bool {
        if environment["DBUS_SESSION_BUS_ADDRESS"]?.isEmpty == false { return true }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return false }
        return FileManager.default.fileExists(atPath: folder + "/bus")
    }

    /// Unlocks the keyring, with a prompt where that is allowed.
    func unlock(asking asks: Bool) throws {
        try Self.call { latch_secret_unlock(connection, asks, $0, $1) }
    }

    /// Returns an item's bytes; nil where there is no such item.
    func read(_ key: SecretServiceKey) throws -> [UInt8]? {
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        let isThere = try key.withCKey { key in
            try Self.call { latch_secret_read(connection, key, &bytes, &count, $0, $1) }
        }
        guard isThere else { return nil }
        defer { latch_secret_free(bytes, count) }
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    /// Creates or replaces an item.
    func write(_ bytes: [UInt8], to key: SecretServiceKey) throws {
        _ = try key.withCKey { withCKey in
            try Self.call { latch_secret_write(connection, withCKey, key.label, bytes, bytes.count, $0, $1) }
        }
    }

    /// Removes an item.
    func remove(_ key: SecretServiceKey) throws {
        _ = try key.withCKey { key in try Self.call { latch_secret_remove(connection, key, $0, $1) } }
    }

    /// Returns the attribute `name` of all items of a key's service.
    func names(_ key: SecretServiceKey) throws -> [String] {
        var names: [String] = []
        try withUnsafeMutablePointer(to: &names) { names in
            _ = try key.withCKey { key in
                try Self.call { latch_secret_names(connection, key, collectName, names, $0, $1) }
            }
        }
        return names
    }

    /// Makes a C call that may return a reason.
    ///
    /// - Returns: Whether the item exists; true where the call concerns no item.
    @discardableResult
    private static func call(_ body: (UnsafeMutablePointer<CChar>?, Int) -> Int32) throws -> Bool {
        var result = Int32(latch_secret_failed)
        let reason = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer -> String in
            buffer.initialize(repeating: 0)
            result = body(buffer.baseAddress, buffer.count)
            return buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
        if result == Int32(latch_secret_done) { return true }
        if result == Int32(latch_secret_missing) { return false }
        throw error(Int(result), reason)
    }

    /// Returns the `store…` code of a result; none of them means a sign-out.
    static func error(_ result: Int, _ reason: String) -> AuthError {
        let (error, hint): (AuthError, String?) =
            switch result {
            case Int(latch_secret_locked):
                (
                    .storeLocked,
                    "Unlock the keyring, by signing in to the desktop or with its own program, and try again."
                )
            case Int(latch_secret_denied):
                (.storeDenied, "Try again, and enter the keyring's password at the prompt.")
            case Int(latch_secret_no_library):
                (.storeUnavailable, "Install libsecret (Debian: libsecret-1-0), or keep the secrets in a file.")
            case Int(latch_secret_no_service):
                (.storeUnavailable, "Sign in to a desktop with a keyring, or keep the secrets in a file.")
            case Int(latch_secret_no_collection):
                (.storeUnavailable, "Create a default keyring with the desktop's program for keys and passwords.")
            default: (.storeUnavailable, nil)
            }
        return AuthError(
            code: error.code, message: "\(error.message) (Secret Service: \(reason))", hint: hint ?? error.hint)
    }
}

extension SecretServiceKey {
    /// Calls `body` with the key as a C structure.
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
