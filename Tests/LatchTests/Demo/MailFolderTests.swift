// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchIdentity
import LatchTesting
import Testing

@testable import latch_demo

@Suite struct MailFolderTests {
    private func send(_ subject: String, to address: String, _ text: String, in folder: String) async throws {
        try await FileMailer(folder: folder, sender: "no-reply@localhost")
            .send(MailMessage(to: address, subject: subject, text: text))
    }

    @Test func `The folder of emails gives the token of the newest mail with a subject`() async throws {
        try await withTemporaryFolder { folder in
            try await send("Reset", to: "a@example.com", "open http://x/reset?token=first\n", in: folder)
            try await WallClock.system.sleep(for: .milliseconds(2))
            try await send("Reset", to: "a@example.com", "open http://x/reset?token=second&more=1\n", in: folder)
            try await send("Hello", to: "a@example.com", "token=third", in: folder)
            let token = try await MailFolder(path: folder).token(subject: "Reset", to: "a@example.com")
            expectEqual(token, "second")
        }
    }

    @Test func `The folder of emails waits for a mail that is still in progress`() async throws {
        try await withTemporaryFolder { folder in
            async let token = MailFolder(path: folder + "/mails").token(subject: "Reset", to: "a@example.com")
            try await send("Reset", to: "a@example.com", "token=late", in: folder + "/mails")
            let found = try await token
            expectEqual(found, "late")
        }
    }

    @Test func `The folder of emails refuses a mail to another recipient, and one without a link`() async throws {
        try await withTemporaryFolder { folder in
            try await send("Reset", to: "b@example.com", "token=x", in: folder)
            try await send("Hello", to: "a@example.com", "nothing to open", in: folder)
            let mails = MailFolder(path: folder)
            await #expect(throws: DemoFailure.self) { try await mails.token(subject: "Reset", to: "a@example.com") }
            await #expect(throws: DemoFailure.self) { try await mails.token(subject: "Hello", to: "a@example.com") }
        }
    }
}

@Suite struct DemoFolderTests {
    @Test func `The folder of a demonstration is private to its owner, and is gone when it is removed`() throws {
        let folder = try DemoDirectory()
        let path = String(folder.path("").dropLast())
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        expectEqual(attributes[.posixPermissions] as? Int, 0o700)
        expectEqual(folder.text("none"), "")
        try folder.write("x", to: "file")
        expectEqual(folder.text("file"), "x")
        try folder.remove()
        #expect(!FileManager.default.fileExists(atPath: path))
        try folder.remove()
    }
}
