// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

extension LinkField {
    /// One link: a target, and what is said about it.
    public struct Link: Sendable, Hashable {
        /// A parameter as it was written, without quotation marks.
        public struct Parameter: Sendable, Hashable {
            /// The name as it was spelled; it compares without case.
            public let name: String
            /// The value; of a name with `*` at its end still in the encoding of RFC 8187.
            public let value: String

            /// A parameter from its parts.
            public init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }

        /// The reference as it was written, absolute or relative.
        public let target: String
        /// The parameters in their order; of those that may stand once the first counts.
        public let parameters: [Parameter]

        /// A link from its parts.
        public init(target: String, parameters: [Parameter]) {
            self.target = target
            self.parameters = parameters
        }

        /// What the target is for the one that links to it; several types may stand in one `rel` (RFC 8288 §3.3).
        public var relations: [String] {
            (self["rel"] ?? "").utf8.split { $0 == 0x20 || $0 == 0x09 }.map { String(decoding: $0, as: UTF8.self) }
        }

        /// The resource that the link is about, where that is not the answer itself (RFC 8288 §3.2).
        public var anchor: String? { self["anchor"] }

        /// The media type that is to be expected (RFC 8288 §3.4.1).
        public var mediaType: String? { self["type"] }

        /// The label for people: `title*` in its encoding before `title` (RFC 8288 §3.4.1).
        public var title: String? { self["title*"].flatMap(Self.decodedExtended) ?? self["title"] }

        /// The languages of the target, each a line of its own in the field (RFC 8288 §3.4.1).
        public var languages: [String] {
            parameters.filter { $0.name.equalsIgnoringCase("hreflang") }.map(\.value)
        }

        /// The first value of a parameter, whose name is compared without case.
        public subscript(name: String) -> String? {
            parameters.first { $0.name.equalsIgnoringCase(name) }?.value
        }

        /// The target as an absolute URL, resolved against what was asked for (RFC 8288 §3.1).
        ///
        /// - Returns: nil where it cannot be requested: another scheme, user information, a malformed host. A target at
        ///   another origin is given as it is; who sends credentials compares `HTTPOrigin`.
        public func url(relativeTo request: HTTPRequest) -> URL? {
            guard let base = URL(string: request.absoluteURL) else { return nil }
            // RFC 3986 §5.2.2: an empty reference is the base; Foundation makes nothing of it.
            let url = target.isEmpty ? base : URL(string: target, relativeTo: base)?.absoluteURL
            return url.flatMap { HTTPOrigin($0) == nil ? nil : $0 }
        }

        /// RFC 8187 §3.2.1: charset, language and percent-encoded bytes; only UTF-8, which all have to know, is read.
        private static func decodedExtended(_ value: String) -> String? {
            let parts = value.utf8.split(separator: 0x27, maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, String(decoding: parts[0], as: UTF8.self).equalsIgnoringCase("utf-8") else {
                return nil
            }
            var bytes: [UInt8] = []
            var rest = parts[2]
            while let byte = rest.popFirst() {
                guard byte == 0x25 else {
                    bytes.append(byte)
                    continue
                }
                guard let high = rest.popFirst().flatMap(FormEncoding.digit),
                    let low = rest.popFirst().flatMap(FormEncoding.digit)
                else { return nil }
                bytes.append(high << 4 | low)
            }
            return String(validating: bytes, as: UTF8.self)
        }
    }
}
