// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import LatchJOSE

/// What is stored in an old layout, read part by part.
struct LegacyRecord {
    /// What there is, for a decision.
    enum Reading {
        case nothing
        case account(LegacyAccount)
        case incomplete
        /// The secrets with these names are not what the layout says.
        case unreadable([String])
    }

    let layout: LegacyLayout
    /// The secrets by name, as they were read.
    let secrets: [String: [UInt8]]

    /// Reads all secrets of the layout.
    init(_ layout: LegacyLayout, from store: any SecretStore) async throws {
        self.layout = layout
        var secrets: [String: [UInt8]] = [:]
        for name in layout.names { secrets[name] = try await store.read(name) }
        self.secrets = secrets
    }

    /// What the secrets mean together.
    ///
    /// Damage in a part that an account can do without loses nobody's account: the part is left out.
    var reading: Reading {
        guard !secrets.isEmpty else { return .nothing }
        var parts: [LegacyLayout.Part: String] = [:]
        var unreadable: [String] = []
        for place in layout.places {
            do {
                parts[place.part] = try text(at: place)
            } catch {
                if layout.required.contains(place.part), !unreadable.contains(place.name) {
                    unreadable.append(place.name)
                }
            }
        }
        guard unreadable.isEmpty else { return .unreadable(unreadable) }
        guard let access = parts[.access], layout.required.isSubset(of: parts.keys) else { return .incomplete }
        let tokens = Tokens(
            access: access, refresh: parts[.refresh],
            expiry: parts[.expiry].flatMap { date($0) } ?? Self.expiry(of: access),
            scope: parts[.scope].map(Self.scope), userID: parts[.user])
        return .account(LegacyAccount(tokens: tokens, userID: parts[.user]))
    }

    /// The text at a place; nil where there is none, or an empty one.
    ///
    /// - Throws: Where the bytes are no text, or no object with a text or a number as this member.
    private func text(at place: LegacyLayout.Place) throws -> String? {
        guard let bytes = secrets[place.name] else { return nil }
        guard let member = place.member else {
            guard let text = String(validating: bytes, as: UTF8.self) else { throw AuthError.storeCorrupt }
            return text.isEmpty ? nil : text
        }
        guard let object = try JSONValue(parsing: bytes).objectValue else { throw AuthError.storeCorrupt }
        switch object[member] {
        case .string(let text): return text.isEmpty ? nil : text
        case .integer(let number): return String(number)
        case .number(let number): return String(number)
        case nil, .null: return nil
        case .bool, .array, .object: throw AuthError.storeCorrupt
        }
    }

    /// A date as a number of seconds or in ISO 8601, with or without fractions; nil for anything else.
    private func date(_ text: String) -> Date? {
        if let seconds = Double(text) {
            guard seconds.isFinite else { return nil }
            return layout.epoch == .unix
                ? Date(timeIntervalSince1970: seconds) : Date(timeIntervalSinceReferenceDate: seconds)
        }
        let whole = Date.ISO8601FormatStyle()
        let fractions = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // What is no date is as good as no date: the access token is then judged by the server.
        return (try? whole.parse(text)) ?? (try? fractions.parse(text))
    }

    /// When a token ends by its own claims; nil where it is no JWT, or one without `exp` (RFC 7519 §4.1.4).
    private static func expiry(of access: String) -> Date? {
        do { return try JWT(unverified: access).claims.expiry } catch { return nil }
    }

    /// Scopes with a space between them, whether they were kept so, with commas, or as a JSON array.
    private static func scope(_ text: String) -> String {
        let array = text.hasPrefix("[") ? try? JSONValue(parsing: Array(text.utf8)).arrayValue : nil
        let scopes = array?.compactMap(\.stringValue) ?? text.split { $0 == " " || $0 == "," }.map(String.init)
        return scopes.joined(separator: " ")
    }
}
