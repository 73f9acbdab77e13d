// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
public import LatchIdentityStorage
import LatchTexts

/// The operator's own texts of emails, from a folder with a file for each purpose and language.
///
/// `verifyEmail.de.txt` has the subject and the text, and `verifyEmail.de.html`, if it exists, the whole HTML. Emails
/// without a file have the texts of the server.
public struct MailTemplates: Sendable, Hashable {
    /// The path of the folder that the files were read from.
    public let folder: String
    private let templates: [Key: MailTemplate]

    private struct Key: Hashable {
        let purpose: OutboxMail.Purpose
        let language: String
    }

    static let expected = "the path of a folder with files such as verifyEmail.en.txt"
    /// The largest size of a file in bytes; mail programs cut longer emails.
    package static let maximumSize = 100 << 10

    /// Reads the files of a folder.
    ///
    /// - Throws: ``IdentityError/invalidSetting`` if the folder or a file cannot be read, if a file is for no email or
    ///   language, is larger than 100 KiB, or has fields without a value, or none that the email needs.
    public init(folder: String) throws(IdentityError) {
        do throws(SettingProblem) { try self.init(reading: folder) } catch {
            throw .invalidSetting("mail_templates", error)
        }
    }

    /// Reads the folder of a setting.
    package init(reading folder: String) throws(SettingProblem) {
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted() } catch {
            throw .stated(
                "The folder '\(folder)' cannot be read.",
                hint: "The path is relative to the folder in which the server starts.", expected: Self.expected)
        }
        var files: [Key: (text: String?, html: String?)] = [:]
        // Editors and desktops leave files whose names begin with a dot.
        for name in names where name.utf8.first != UInt8(ascii: ".") {
            guard let (key, ending) = Self.key(of: name) else {
                throw .stated(
                    "The file '\(folder)/\(name)' is for no email.",
                    hint: """
                        Names are PURPOSE.LANGUAGE.txt and .html, with a language of \
                        \(Texts.languages.joined(separator: ", ")). 'latch admin mail templates FOLDER' writes them all.
                        """,
                    expected: Self.expected)
            }
            let text = try Self.content(of: name, in: folder)
            if ending == "txt" {
                files[key, default: (nil, nil)].text = text
            } else {
                files[key, default: (nil, nil)].html = text
            }
        }
        var templates: [Key: MailTemplate] = [:]
        for (key, file) in files {
            let name = "\(key.purpose.rawValue).\(key.language)"
            guard let text = file.text else {
                throw Self.problem("\(folder)/\(name).html", "'\(name).txt' with its subject and plain text is missing")
            }
            do throws(MailTemplateProblem) {
                templates[key] = try MailTemplate(key.purpose, text: text, html: file.html)
            } catch {
                throw Self.problem("\(folder)/\(name).\(error.isInHTML ? "html" : "txt")", error.text)
            }
        }
        (self.folder, self.templates) = (folder, templates)
    }

    package func template(for purpose: OutboxMail.Purpose, in language: String) -> MailTemplate? {
        templates[Key(purpose: purpose, language: language)]
    }

    /// Returns the email and the language of the name of a file, and its ending; nil for any other name.
    private static func key(of name: String) -> (Key, ending: String)? {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard parts.count == 3, let purpose = OutboxMail.Purpose(rawValue: parts[0]),
            Texts.languages.contains(parts[1]), ["txt", "html"].contains(parts[2])
        else { return nil }
        return (Key(purpose: purpose, language: parts[1]), parts[2])
    }

    private static func content(of name: String, in folder: String) throws(SettingProblem) -> String {
        let path = "\(folder)/\(name)"
        let bytes: [UInt8]?
        do throws(FileError) { bytes = try AtomicFile(path).readFile(upTo: maximumSize) } catch {
            throw problem(
                path, error.reason == .tooLarge ? "it is larger than \(maximumSize >> 10) KiB" : "it cannot be read")
        }
        guard let bytes, let text = String(validating: bytes, as: UTF8.self) else {
            throw problem(path, "it is not text in UTF-8")
        }
        guard !bytes.contains(0) else { throw problem(path, "it has a NUL byte") }
        return text
    }

    private static func problem(_ path: String, _ reason: String) -> SettingProblem {
        .stated("The file '\(path)' cannot be used: \(reason).", hint: nil, expected: expected)
    }
}

extension SettingFormat where Value == MailTemplates {
    /// The path of a folder, whose files are read with the setting.
    static var mailTemplates: Self {
        Self(parse: { text throws(SettingProblem) in try MailTemplates(reading: text) }, text: { $0.folder })
    }
}
