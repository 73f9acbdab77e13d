// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchProtobuf
import Testing

@Suite struct StorageTests {
    @Test func `A message reads back every value that was set`() {
        var person = Person()
        expectEqual(person.id, "")
        expectNil(person.contact)
        person.id = "42"
        person.role = .admin
        person.nickname = ""
        person.permissions = ["a", "b"]
        person.labels = ["x": 1]
        person.age = 0
        person.timeout = .milliseconds(-1500)
        person.createdAt = Date(timeIntervalSince1970: -0.25)
        person.roles = [.admin, .unrecognized(7)]
        person.roleByName = ["ada": .user]
        person.logins = [5: Date(timeIntervalSince1970: 5)]
        expectEqual(person.id, "42")
        expectEqual(person.role, .admin)
        expectEqual(person.nickname, "")
        expectEqual(person.permissions, ["a", "b"])
        expectEqual(person.labels, ["x": 1])
        expectEqual(person.age, 0)
        expectEqual(person.timeout, .milliseconds(-1500))
        expectEqual(person.createdAt, Date(timeIntervalSince1970: -0.25))
        expectEqual(person.roles, [.admin, .unrecognized(7)])
        expectEqual(person.roleByName, ["ada": .user])
        expectEqual(person.logins, [5: Date(timeIntervalSince1970: 5)])
        person.clearCreatedAt()
        person.age = nil
        #expect(!person.hasCreatedAt)
        expectNil(person.age)
    }

    @Test func `A message has value semantics: a copy does not change with it`() {
        var person = Person()
        person.devices = [Device(), Device()]
        person.friends = ["ada": Person()]
        var copy = person
        copy.id = "copy"
        copy.devices[1].name = "phone"
        copy.friends["ada"]?.id = "ada"
        expectEqual(person.id, "")
        expectEqual(person.devices[1].name, "")
        expectEqual(person.friends["ada"]?.id, "")
        expectEqual(copy.devices[1].name, "phone")
        expectEqual(copy.friends["ada"]?.id, "ada")
        expectNotEqual(copy, person)
    }

    @Test func `A message holds one field of a oneof at a time`() {
        var person = Person()
        person.contact = .email("a@b.c")
        person.contact = .phone("")
        expectEqual(person.contact, .phone(""))
        var home = Device()
        home.name = "home"
        person.contact = .home(home)
        expectEqual(person.contact, .home(home))
        person.contact = nil
        expectEqual(person, Person())
    }

    @Test func `A message redacts secrets, also in nested messages and mirrors`() {
        var device = Device()
        device.pin = "hunter2"
        var person = Person()
        person.id = "42"
        person.accessToken = "hunter2"
        person.devices = [device]
        var friend = Person()
        friend.accessToken = "hunter2"
        person.friends = ["f": friend]
        var shown = ""
        dump(person, to: &shown)
        for text in [person.description, person.debugDescription, "\(person)", String(reflecting: person), shown] {
            #expect(!text.contains("hunter2"))
            #expect(text.contains("42"))
        }
    }

    @Test func `A message reads the default from a slot of another type`() {
        var person = Person()
        person.id = "42"
        person.storage[int64: 0] = 7
        person.storage[string: 99] = "x"
        person.storage[string: -1] = "x"
        let wrong: [Person] = person.storage[messages: 5]
        expectEqual(person.id, "42")
        expectEqual(person.storage[int64: 0], 0)
        expectEqual(person.storage[string: 99], "")
        #expect(wrong.isEmpty)
    }
}
