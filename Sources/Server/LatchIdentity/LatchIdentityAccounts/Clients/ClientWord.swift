// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchIdentityStorage
import LatchJOSE

extension OAuthClient {
    /// The reason why a configuration's word cannot be used.
    ///
    /// It quotes only names, since a value may be a misplaced secret.
    package struct WordError: Error {
        /// A sentence without its full stop.
        package let reason: String
    }

    /// Parses the word of a configuration; nil if it is malformed.
    package init?(word: String) {
        do throws(WordError) { try self.init(parsing: word) } catch { return nil }
    }

    /// Creates a client with nothing but an id, which must be a valid one.
    package init(checkedID id: String) throws(WordError) {
        guard Self.isID(id) else {
            throw WordError(reason: "an id has 1 to 100 characters: letters, digits, '-', '.' or '_'")
        }
        guard id != Self.firstPartyID else { throw WordError(reason: "the id '\(id)' is reserved") }
        self.init(id: id)
    }

    /// Parses the word of a configuration.
    package init(parsing word: String) throws(WordError) {
        let parts = word.unicodeScalars.split(separator: ";", omittingEmptySubsequences: false).map { String($0) }
        try self.init(checkedID: parts.first ?? "")
        var names: Set<String> = []
        for part in parts.dropFirst() {
            do throws(WordError) {
                guard names.insert(String(part.unicodeScalars.prefix { $0 != "=" })).inserted else {
                    throw WordError(reason: "has a part twice")
                }
                try apply(part)
            } catch {
                throw WordError(reason: "the client '\(id)' \(error.reason)")
            }
        }
    }

    /// Takes the parts of a word that change some members, as in `trusted` or `grants=password`.
    ///
    /// A member without a value, as in `grants=`, gets that of a new client.
    package mutating func change(by parts: [String]) throws(WordError) {
        for part in parts {
            let name = String(part.unicodeScalars.prefix { $0 != "=" })
            guard part.unicodeScalars.last == "=", ClientField.all.contains(where: { $0.name == name }) else {
                try apply(part)
                continue
            }
            var members = table
            members[name] = nil
            let origin = registersItself
            do throws(SettingTable.MemberError) { self = try Self.reading(members) } catch {
                throw WordError(reason: error.reason)
            }
            registersItself = origin
        }
    }

    /// Takes one part of a word, such as `trusted` or `grants=password`.
    private mutating func apply(_ part: String) throws(WordError) {
        let pair = part.unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map { String($0) }
        let (name, value) = (pair[0], pair.count == 2 ? pair[1] : nil)
        guard let field = ClientField.all.first(where: { $0.name == name }) else {
            // A part without a value may be a misplaced secret.
            let quoted =
                value != nil && name.isWord(maximum: 20, also: "_-") ? "the unknown part '\(name)'" : "an unknown part"
            throw WordError(
                reason: "has \(quoted); known are \(ClientField.all.map(\.name).joined(separator: ", "))")
        }
        switch (field.form, value) {
        case (.flag(let path, _), nil), (.flag(let path, _), "true"): self[keyPath: path] = true
        case (.flag(let path, _), "false"): self[keyPath: path] = false
        case (.flag, _): throw WordError(reason: "has a value for '\(name)' that is neither true nor false")
        case (.list(let read, _), let value?):
            try read(value.unicodeScalars.split(separator: ",").map { String($0) }, name, &self)
        case (.algorithm(let path, let known), let value?):
            self[keyPath: path] = try ClientField.algorithm(value, of: known, in: name)
        case (.text(let read, _), let value?): try read(value, &self)
        case (.title(let path), let value?):
            let bytes = PercentEncoding.decode(value.utf8, plusIsSpace: false)
            self[keyPath: path] = try field.title(String(decoding: bytes, as: UTF8.self))
        case (.number(let path), let value?):
            guard let number = Int(value) else { throw WordError(reason: "has a '\(name)' that is not a number") }
            self[keyPath: path] = try field.number(number)
        case (.json(let path), let value?): self[keyPath: path] = try field.json(value)
        case (.list, nil), (.algorithm, nil), (.text, nil), (.title, nil), (.number, nil), (.json, nil):
            throw WordError(reason: "has no value for '\(name)', such as \(name)=…")
        }
    }

    /// Returns JSON without the characters that separate words and their parts.
    ///
    /// Compact JSON has them only in strings.
    private static func word(of value: JSONValue) -> String {
        String(decoding: value.serialized(), as: UTF8.self).unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case " ": text += "\\u0020"
            case ";": text += "\\u003b"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    /// The word that `init(word:)` parses.
    package var word: String {
        ClientField.all.reduce(into: id) { word, field in
            switch field.form {
            case .flag(let path, let omitted):
                if self[keyPath: path] != omitted { word += ";" + field.name + (omitted ? "=false" : "") }
            case .list(_, let write):
                if let list = write(self) { word += ";\(field.name)=" + list.joined(separator: ",") }
            case .algorithm(let path, let known):
                if self[keyPath: path] != known.first { word += ";\(field.name)=\(self[keyPath: path].rawValue)" }
            case .text(_, let write):
                if let text = write(self) { word += ";\(field.name)=\(text)" }
            case .title(let path):
                if let text = self[keyPath: path] { word += ";\(field.name)=\(PercentEncoding.encode(text.utf8))" }
            case .number(let path):
                if let number = self[keyPath: path] { word += ";\(field.name)=\(number)" }
            case .json(let path):
                if let value = self[keyPath: path] { word += ";\(field.name)=\(Self.word(of: value))" }
            }
        }
    }
}
