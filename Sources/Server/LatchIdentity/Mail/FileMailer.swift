// SPDX-License-Identifier: Apache-2.0

public import LatchCore
import PortableFoundation

/// A mailer that writes each mail as a file, `<time>-<random>.eml`, readable by its owner alone.
public struct FileMailer: Mailer {
    private let folder: String
    private let sender: String
    private let clock: WallClock
    private let random: RandomSource

    /// Creates a mailer that writes into `folder`, which it creates if it is missing.
    public init(folder: String, sender: String, clock: WallClock = .system, random: RandomSource = .system) {
        self.folder = folder
        self.sender = sender
        self.clock = clock
        self.random = random
    }

    /// Writes the mail.
    ///
    /// - Throws: `IdentityError.mailNotSent` if the file cannot be written.
    public func send(_ message: MailMessage) async throws {
        let now = clock.now
        let id = random.identifier()
        // The time has a fixed width, so that the files sort in the order of sending.
        let file = AtomicFile("\(folder)/\(now.storedMilliseconds)-\(id).eml")
        do throws(FileError) {
            try file.makeFolder()
            try file.replace(with: message.bytes(from: sender, at: now, id: id))
        } catch {
            throw IdentityError.mailNotSent("the folder \(folder) cannot be written")
        }
    }
}
