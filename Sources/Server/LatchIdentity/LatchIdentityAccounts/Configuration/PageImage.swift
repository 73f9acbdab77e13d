// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchIdentityStorage
import LatchSignIn

/// An image of the pages, such as the logo of the service.
public struct PageImage: Sendable, Hashable {
    /// The path of the file that it was read from.
    public let file: String
    /// The media type, by the first bytes of the file.
    package let mediaType: String
    package let bytes: [UInt8]

    /// The largest size of a file in bytes; every page loads the logo.
    package static let maximumSize = 256 << 10
    static let expected = "the path of a PNG, JPEG, WebP, SVG or ICO file of at most \(maximumSize >> 10) KiB"

    /// Reads an image.
    ///
    /// - Parameter setting: The key of the setting, for the error.
    /// - Throws: ``IdentityError/invalidSetting`` if the file cannot be read, is larger than 256 KiB, or is not a PNG,
    ///   JPEG, WebP, SVG or ICO.
    public init(file: String, setting: String = "logo_file") throws(IdentityError) {
        do throws(SettingProblem) { try self.init(reading: file) } catch {
            throw .invalidSetting(setting, error)
        }
    }

    /// Reads the image of a setting.
    init(reading file: String) throws(SettingProblem) {
        let content: [UInt8]?
        do throws(FileError) { content = try AtomicFile(file).readFile(upTo: Self.maximumSize) } catch {
            guard error.reason != .tooLarge else {
                throw .stated(
                    "The file '\(file)' is larger than \(Self.maximumSize >> 10) KiB.",
                    hint: "Convert it to a smaller PNG or SVG.", expected: Self.expected)
            }
            throw .stated("The file '\(file)' cannot be read (\(error)).", hint: nil, expected: Self.expected)
        }
        guard let bytes = content else {
            throw .stated(
                "There is no file '\(file)'.", hint: "The path is relative to the folder in which the server starts.",
                expected: Self.expected)
        }
        guard let type = Self.mediaType(of: bytes) else {
            throw .expected(Self.expected)
        }
        (self.file, self.bytes, mediaType) = (file, bytes, type)
    }

    /// Returns the media type of an image (WHATWG MIME Sniffing §6.1); nil for any other content.
    private static func mediaType(of bytes: [UInt8]) -> String? {
        let signatures: [(type: String, start: [UInt8])] = [
            ("image/png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), ("image/jpeg", [0xFF, 0xD8, 0xFF]),
            ("image/x-icon", [0x00, 0x00, 0x01, 0x00]),
        ]
        if let known = signatures.first(where: { bytes.starts(with: $0.start) }) { return known.type }
        if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) { return "image/webp" }
        // An SVG file may begin with a declaration, a document type and comments.
        let start = bytes.prefix(4096)
        return start.first(where: { !" \t\r\n\u{FEFF}".utf8.contains($0) }) == UInt8(ascii: "<")
            && start.firstRange(of: "<svg".utf8) != nil ? "image/svg+xml" : nil
    }
}

extension SettingFormat where Value == PageImage {
    /// The path of an image, which is read with the setting.
    static var image: Self {
        Self(parse: { text throws(SettingProblem) in try PageImage(reading: text) }, text: { $0.file })
    }
}

extension SettingFormat where Value == String {
    /// A color with a contrast of at least 4.5 to white (WCAG 2.2 §1.4.3).
    static var accentColor: Self {
        Self(
            parse: { text throws(SettingProblem) in
                let color = try Self.color.parse(text)
                guard let accent = PageColor(color), accent.contrast(to: .white) < PageStyle.textContrast else {
                    return color
                }
                let dark = accent.mixed(with: .black) { $0.contrast(to: .white) >= PageStyle.textContrast }
                throw .unusable("white text on it cannot be read, and on '\(dark.text)' it can")
            }, text: { $0 })
    }

    static var color: Self {
        Self(expected: "# and six hexadecimal digits, such as #2456c9", parse: { PageColor($0)?.text }, text: { $0 })
    }

    /// A page, or a URL that writes an email (RFC 6068).
    static var supportURL: Self {
        Self(
            expected: "a URL such as https://example.com/help, or an email address as mailto:help@example.com",
            parse: { text in
                let scheme = "mailto:"
                guard text.utf8.starts(with: scheme.utf8) else { return PublicURL.isValid(text) ? text : nil }
                let address = String(Substring(text.utf8.dropFirst(scheme.utf8.count)))
                return address.isWord(maximum: 254, also: "@.-_+") && (try? EmailAddress(address)) != nil ? text : nil
            }, text: { $0 })
    }
}
