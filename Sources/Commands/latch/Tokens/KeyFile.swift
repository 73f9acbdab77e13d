// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCommand
import LatchCore
import LatchHTTP
import LatchJOSE

/// Keys that are read from a file, from standard input, or from the address where an issuer publishes them.
enum KeyFile {
    /// As long as a key set may be.
    private static let limit = 1 << 20

    /// One key that signs.
    ///
    /// - Throws: `CommandError.failed` where the file cannot be read, `JOSEError.unsuitableKey`.
    static func signingKey(_ path: String, _ shell: Shell) async throws -> Key {
        let key = try Key(jwk: try await object(path, shell))
        guard key.canSign else {
            throw CommandError.failed(
                "The key in '\(path)' only verifies.", hint: "Give the file that 'latch keys generate --output' wrote.")
        }
        return key
    }

    /// Keys that verify: one JSON Web Key, or a set of them.
    static func keySet(_ place: String, _ shell: Shell) async throws -> KeySet {
        let object = try await object(place, shell)
        guard object["keys"] == nil else { return try KeySet(jwks: .object(object)) }
        return KeySet([try Key(jwk: object)])
    }

    /// What is at a path, at `-`, or at a URL, as a JSON object.
    private static func object(_ place: String, _ shell: Shell) async throws -> JSONObject {
        let bytes = try await bytes(place, shell)
        guard bytes.count <= limit else { throw CommandError.failed("'\(place)' is too long for keys.") }
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes)
        } catch {
            // The text may be a secret: where it is wrong is told, what stands there is not.
            throw CommandError.failed(
                "'\(place)' is not JSON: \(error.message)", hint: "Give a JSON Web Key or a set of them (RFC 7517).")
        }
        guard let object = value.objectValue else {
            throw CommandError.failed(
                "'\(place)' is no JSON Web Key.", hint: "Give a JSON Web Key or a set of them (RFC 7517).")
        }
        return object
    }

    private static func bytes(_ place: String, _ shell: Shell) async throws -> [UInt8] {
        if place == "-" { return try await shell.input.all(limit) }
        if place.hasPrefix("https://") || place.hasPrefix("http://") {
            guard let url = URL(string: place) else { throw CommandError.failed("'\(place)' is no URL.") }
            return try await Client(baseURL: url).perform(.bytes(.get, ""))
        }
        return try InputFile.bytes(place)
    }
}
