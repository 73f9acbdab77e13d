// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchIdentity
import LatchServer

extension SettingFormat {
    /// Creates a format of a type that parses its texts.
    fileprivate static func parsed(
        _ parse: @escaping @Sendable (String) throws(CommandError) -> Value, text: @escaping @Sendable (Value) -> String
    ) -> Self {
        Self(
            parse: { text throws(SettingProblem) in
                do throws(CommandError) { return try parse(text) } catch { throw SettingProblem(error) }
            }, text: text)
    }
}

extension SettingProblem {
    /// Creates the problem of a text that a type cannot parse.
    fileprivate init(_ error: CommandError) {
        self = .stated(error.message, hint: error.hint, expected: "another value")
    }
}

extension SettingFormat where Value == ListenAddress {
    static var listenAddress: Self {
        Self(parse: { text throws(SettingProblem) in try ListenAddress(text) }, text: { $0.text })
    }
}

extension SettingFormat where Value == StoreLocation {
    static var store: Self {
        .parsed({ text throws(CommandError) in try StoreLocation(text) }, text: { $0.text })
    }
}

extension SettingFormat where Value == AccessLogFormat {
    static var accessLog: Self {
        .parsed({ text throws(CommandError) in try AccessLogFormat(text) }, text: { $0.rawValue })
    }
}

extension SettingFormat where Value == [NetworkRange] {
    /// Networks, separated by spaces or commas.
    static var networks: Self {
        .parsed(
            { text throws(CommandError) in
                try NetworkRange.ranges(in: text) { word in
                    CommandError.failed(
                        "The setting 'trusted_proxies' holds '\(word.printable)', which is not a network.",
                        hint:
                            "Write addresses and networks, such as 127.0.0.1 10.0.0.0/8 2001:db8::/32, without host bits."
                    )
                }
            }, text: { $0.map(\.description).joined(separator: " ") })
    }
}

extension SettingFormat where Value == HTTPFieldName {
    /// The name of a header field (RFC 9110 §5.1).
    static var fieldName: Self {
        Self(
            expected: "the name of a header field such as Client-Cert",
            parse: { $0.isWord(maximum: 100, also: "-_") ? HTTPFieldName($0) : nil },
            text: { $0.rawName })
    }
}

extension SettingFormat where Value == TrustedProxies.Field {
    /// The name of a field, in any case.
    static var forwardedField: Self {
        .parsed(
            { text throws(CommandError) in
                guard let field = Value(rawValue: text.lowercasedASCII()) else {
                    throw .failed(
                        "The setting 'forwarded_field' must be x-forwarded-for or forwarded.",
                        hint: "Name the one that your proxy writes; the other one is the client's to write.")
                }
                return field
            }, text: { $0.rawValue })
    }
}

extension SettingFormat where Value == String? {
    /// A telemetry setting, validated together with the others; nil if it is empty.
    ///
    /// - Parameters:
    ///   - standard: The text that is shown for nil.
    ///   - telemetry: The settings of telemetry with which a text is checked.
    static func telemetry(
        shownAs standard: String = "", checkedBy telemetry: @escaping @Sendable (String) -> ServeConfiguration.Telemetry
    ) -> Self {
        Self(
            parse: { text throws(SettingProblem) in
                do throws(IdentityError) { _ = try telemetry(text).configuration([:]) } catch {
                    // The setting's meaning is the hint.
                    throw .stated(error.message, hint: nil, expected: "another value")
                }
                return text.isEmpty ? nil : text
            }, text: { $0 ?? standard })
    }
}
