// SPDX-License-Identifier: Apache-2.0

/// The timeout fields of Connect and gRPC.
enum TimeoutHeader {
    /// Formats milliseconds of at most ten digits (Connect protocol, "Timeout").
    static func milliseconds(_ timeout: Duration) -> String {
        let (seconds, attoseconds) = timeout.components
        guard seconds >= 0, timeout > .zero else { return "0" }
        guard seconds < 9_999_999 else { return "9999999999" }
        return String(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }

    /// Parses a `Connect-Timeout-Ms` field; nil if it is malformed.
    static func duration(milliseconds text: String) -> Duration? {
        guard (1...10).contains(text.utf8.count), let value = digits(text.utf8) else { return nil }
        return .milliseconds(value)
    }

    /// Formats at most eight digits in the finest unit that can represent the time (gRPC over HTTP/2, "Timeout").
    static func grpc(_ timeout: Duration) -> String {
        guard timeout > .zero else { return "0n" }
        let (seconds, attoseconds) = timeout.components
        if seconds < 99_999 {
            return "\(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)m"
        }
        if seconds <= 99_999_999 { return "\(seconds)S" }
        return "\(min(seconds / 3600, 99_999_999))H"
    }

    /// Parses a `grpc-timeout` field; nil if it is malformed.
    static func duration(grpc text: String) -> Duration? {
        let bytes = Array(text.utf8)
        guard (2...9).contains(bytes.count), let value = digits(bytes.dropLast()),
            let unit = bytes.last.flatMap({ grpcUnits[$0] })
        else { return nil }
        return unit * value
    }

    private static let grpcUnits: [UInt8: Duration] = [
        UInt8(ascii: "H"): .seconds(3600), UInt8(ascii: "M"): .seconds(60), UInt8(ascii: "S"): .seconds(1),
        UInt8(ascii: "m"): .milliseconds(1), UInt8(ascii: "u"): .microseconds(1), UInt8(ascii: "n"): .nanoseconds(1),
    ]

    /// Parses decimal digits; Swift's initializer would also accept a sign.
    private static func digits(_ text: some Collection<UInt8>) -> Int64? {
        guard !text.isEmpty, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return text.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
}
