// SPDX-License-Identifier: Apache-2.0

/// A description of a device for its owner, guessed from its User-Agent and name.
package struct UserAgentDescription: Sendable, Hashable {
    /// The form factor: `phone`, `tablet`, `desktop`, or `other`.
    package let formFactor: String
    /// The operating system; empty if unknown.
    package let system: String
    /// The browser; empty if unknown.
    package let browser: String

    private let name: String?

    package init(of device: Device) { self.init(of: device.userAgent, named: device.name) }

    /// - Parameter name: The client's name for the device.
    package init(of userAgent: String?, named name: String? = nil) {
        self.name = name
        let text = Array("\(name ?? "") \(userAgent ?? "")".lowercased().utf8)
        let first = { (table: [(String, String)]) in table.first { Self.has($0.0, in: text) }?.1 }
        system = first(Self.systems) ?? ""
        browser = first(Self.browsers) ?? ""
        formFactor = first(Self.formFactors) ?? "other"
    }

    /// The name or the browser, and the system; nil if none is known.
    package var text: String? {
        let words = [name ?? browser, system].filter { !$0.isEmpty }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    /// Returns whether a text has a word, which no letter precedes or follows: "axios" is not iOS.
    private static func has(_ word: String, in text: [UInt8]) -> Bool {
        let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte) }
        let first = word.utf8.first
        return text.indices.contains { start in
            text[start] == first && text[start...].starts(with: word.utf8) && (start == 0 || !isLetter(text[start - 1]))
                && !(text.dropFirst(start + word.utf8.count).first.map(isLetter) ?? false)
        }
    }

    /// The systems by word, the more specific first: iPhones also claim "Mac OS X", and Android "Linux".
    private static let systems = [
        ("iphone", "iOS"), ("ipad", "iPadOS"), ("ios", "iOS"), ("crios", "iOS"), ("fxios", "iOS"), ("edgios", "iOS"),
        ("android", "Android"), ("watchos", "watchOS"),
        ("windows", "Windows"), ("macos", "macOS"), ("mac os", "macOS"), ("darwin", "macOS"), ("cros", "ChromeOS"),
        ("linux", "Linux"),
    ]
    private static let browsers = [
        ("edg/", "Edge"), ("edga/", "Edge"), ("edgios/", "Edge"), ("opr/", "Opera"), ("firefox/", "Firefox"),
        ("fxios/", "Firefox"), ("samsungbrowser/", "Samsung Internet"), ("crios/", "Chrome"), ("chrome/", "Chrome"),
        ("safari/", "Safari"),
    ]
    private static let formFactors = [
        ("ipad", "tablet"), ("tablet", "tablet"), ("iphone", "phone"), ("mobile", "phone"), ("android", "phone"),
        ("windows", "desktop"), ("macintosh", "desktop"), ("mac os", "desktop"), ("macos", "desktop"),
        ("mac", "desktop"),
        ("darwin", "desktop"), ("linux", "desktop"), ("cros", "desktop"),
    ]
}
