// SPDX-License-Identifier: Apache-2.0

public import LatchCore
import LatchFoundation
import LatchIdentityStorage

/// A mailer that writes each email as a file, `<time>-<id>.eml`, which only its owner can access.
///
/// The file is for developers to read: it has unencoded UTF-8, the plain text first, and links that can be copied.
public struct FileMailer: Mailer {
    private let folder: String
    private let sender: String
    private let clock: WallClock

    /// Creates a mailer that writes into `folder`, which it creates if it is missing.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - sender: An address, or a name and an address such as `Acme <no-reply@example.com>`.
    ///   - clock: The clock of the files' names and dates.
    public init(folder: String, sender: String, clock: WallClock = .system) {
        self.folder = folder
        self.sender = sender
        self.clock = clock
    }

    /// Writes the email.
    ///
    /// - Throws: `IdentityError.mailNotSent` if the file cannot be written, `.invalidSetting` if the sender is invalid.
    public func send(_ message: MailMessage) async throws {
        let now = clock.now
        let bytes = try message.bytes(from: sender, at: now, as: .utf8)
        // The time has a fixed width, so that the files sort in the order of sending.
        let file = AtomicFile("\(folder)/\(now.storedMilliseconds)-\(message.id).eml")
        do throws(FileError) {
            try file.makeFolder()
            try file.replace(with: bytes)
        } catch {
            throw IdentityError.mailNotSent("the folder \(folder) cannot be written")
        }
    }
}
