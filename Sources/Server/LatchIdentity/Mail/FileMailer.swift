// SPDX-License-Identifier: Apache-2.0

public import LatchCore
import PortableFoundation

/// A mailer that writes each mail as a file, `<time>-<id>.eml`, readable by its owner alone.
public struct FileMailer: Mailer {
    private let folder: String
    private let sender: String
    private let clock: WallClock

    /// Creates a mailer that writes into `folder`, which it creates if it is missing.
    public init(folder: String, sender: String, clock: WallClock = .system) {
        self.folder = folder
        self.sender = sender
        self.clock = clock
    }

    /// Writes the mail.
    ///
    /// - Throws: `IdentityError.mailNotSent` if the file cannot be written.
    public func send(_ message: MailMessage) async throws {
        let now = clock.now
        // The time has a fixed width, so that the files sort in the order of sending.
        let file = AtomicFile("\(folder)/\(now.storedMilliseconds)-\(message.id).eml")
        do throws(FileError) {
            try file.makeFolder()
            try file.replace(with: message.bytes(from: sender, at: now))
        } catch {
            throw IdentityError.mailNotSent("the folder \(folder) cannot be written")
        }
    }
}
