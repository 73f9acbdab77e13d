// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchHTTP

/// Header fields as curl takes them.
enum RequestFields {
    /// The fields of all `-H`, in order.
    ///
    /// - Throws: `CommandError.usage` for what is no field, and for the one that the account's credential fills.
    static func read(_ lines: [String]) throws(CommandError) -> HTTPFields {
        var fields = HTTPFields()
        for line in lines {
            guard line.hasPrefix("@") else {
                try add(line, to: &fields)
                continue
            }
            let text = String(decoding: try InputFile.bytes(String(line.dropFirst())), as: UTF8.self)
            for line in text.split(whereSeparator: \.isNewline) { try add(String(line), to: &fields) }
        }
        return fields
    }

    private static func add(_ line: String, to fields: inout HTTPFields) throws(CommandError) {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = HTTPFieldName(String(parts[0]))
        guard parts.count == 2, !parts[0].isEmpty else {
            // The line may hold a secret: it is not repeated.
            throw .usage("One of the header lines is no field.", hint: "Write '-H \"Name: value\"'.")
        }
        guard name != .authorization else {
            throw .usage(
                "The credential comes from the account.", hint: "Leave the field Authorization out, or use curl.")
        }
        fields.append(String(parts[1].drop { $0 == " " || $0 == "\t" }), for: name)
    }
}
