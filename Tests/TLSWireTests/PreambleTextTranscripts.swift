//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

private let smtp = "EHLO probe.invalid\r\n"
private let xmpp =
    "<?xml version='1.0'?><stream:stream to='host.test' xmlns='jabber:client' "
    + "xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>"
private let header = "<?xml version='1.0'?><stream:stream id='1' from=\"a>b\" version='1.0'>"
private let startTLS = "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
private let offer = "<stream:features><starttls xmlns=\"urn:ietf:params:xml:ns:xmpp-tls\"><required/></starttls>"

/// Conversations in protocols of lines, those that come to nothing first.
let mailTranscripts: [PreambleTranscript] = [
    .init(.smtp, "not offered", server: ["220 hi\r\n", "250-a\r\n250 SIZE\r\n"], client: smtp, .refused(.notOffered)),
    .init(.smtp, "no EHLO", server: ["220 hi\r\n", "502 what?\r\n"], client: smtp, .refused(.notOffered)),
    .init(.smtp, "only part of a word", server: ["220 \n", "250 STARTTLSX\n"], client: smtp, .refused(.notOffered)),
    .init(
        .smtp, "unwelcome", server: ["554-no\r\n554 \u{1b}[31mspam\r\n"], client: "",
        .refused(.rejected(reply: "554 .[31mspam"))),
    .init(
        .smtp, "refused with control characters",
        server: ["220 hi\r\n", "250 STARTTLS\r\n", "454 \u{1b}[1mnot now\u{7}\r\n"],
        client: smtp + "STARTTLS\r\n", .refused(.rejected(reply: "454 .[1mnot now."))),
    .init(
        .smtp, "accepted with control characters", server: ["220 \u{1b}[1mhi\r\n"], client: "",
        .refused(.unexpectedAnswer(beginning: "220 ."))),
    .init(.smtp, "busy", server: ["421 too many\r\n"], client: "", .refused(.rejected(reply: "421 too many"))),
    .init(
        .smtp, "refused", server: ["220 hi\r\n", "250 STARTTLS\r\n", "454 later\r\n"], client: smtp + "STARTTLS\r\n",
        .refused(.rejected(reply: "454 later"))),
    .init(.smtp, "garbage", server: ["hello\r\n"], client: "", .refused(.unexpectedAnswer(beginning: "hello"))),
    .init(
        .smtp, "HTTP", server: ["HTTP/1.1 400 Bad Request\r\n"], client: "",
        .refused(.unexpectedAnswer(beginning: "HTTP/1.1 400 Bad Request"))),
    .init(.smtp, "half a line", server: ["220 hi"], client: "", .waiting),
    .init(
        .smtp, "more after the go-ahead", server: ["220 hi\r\n", "250 STARTTLS\r\n", "220 go\r\n250 ok\r\n"],
        client: smtp + "STARTTLS\r\n", .refused(.extraBytes)),
    .init(
        .smtp, "TLS at once", bytes: [[0x15, 3, 1, 0, 2, 2, 70]],
        .refused(.unexpectedAnswer(beginning: "a record of TLS"))),
    .init(
        .smtp, "STARTTLS", server: ["220-a\r\n220 b\r\n", "250-a\r\n250-starttls\r\n250 X\r\n", "220 go\r\n"],
        client: smtp + "STARTTLS\r\n", .ready),
    .init(.smtp, "bare LF", server: ["220\n", "250 STARTTLS\n", "220\n"], client: smtp + "STARTTLS\r\n", .ready),
    .init(
        .lmtp, "STARTTLS", server: ["220 hi\r\n", "250 STARTTLS\r\n", "220 go\r\n"],
        client: "LHLO probe.invalid\r\nSTARTTLS\r\n", .ready),
    .init(.pop3, "unwelcome", server: ["-ERR busy\r\n"], client: "", .refused(.rejected(reply: "-ERR busy"))),
    .init(
        .pop3, "not offered", server: ["+OK hi\r\n", "+OK\r\nUIDL\r\n.\r\n"], client: "CAPA\r\n", .refused(.notOffered)),
    .init(.pop3, "garbage", server: ["* OK\r\n"], client: "", .refused(.unexpectedAnswer(beginning: "* OK"))),
    .init(
        .pop3, "neither CAPA nor STLS", server: ["+OK\r\n", "-ERR\r\n", "-ERR no\r\n"], client: "CAPA\r\nSTLS\r\n",
        .refused(.rejected(reply: "-ERR no"))),
    .init(
        .pop3, "more", server: ["+OK\r\n", "+OK\r\nSTLS\r\n.\r\n", "+OK\r\n+OK\r\n"], client: "CAPA\r\nSTLS\r\n",
        .refused(.extraBytes)),
    .init(.pop3, "no CAPA", server: ["+OK\r\n", "-ERR\r\n", "+OK\r\n"], client: "CAPA\r\nSTLS\r\n", .ready),
    .init(.pop3, "STLS", server: ["+OK\n", "+OK\nSTLS\nUIDL\n.\n", "+OK\n"], client: "CAPA\r\nSTLS\r\n", .ready),
    .init(.imap, "unwelcome", server: ["* BYE no\r\n"], client: "", .refused(.rejected(reply: "* BYE no"))),
    .init(.imap, "known", server: ["* PREAUTH x\r\n"], client: "", .refused(.rejected(reply: "* PREAUTH x"))),
    .init(.imap, "garbage", server: ["+OK\r\n"], client: "", .refused(.unexpectedAnswer(beginning: "+OK"))),
    .init(
        .imap, "not offered", server: ["* OK\r\n", "* CAPABILITY IMAP4rev1\r\nA OK\r\n"], client: "A CAPABILITY\r\n",
        .refused(.notOffered)),
    .init(
        .imap, "refused", server: ["* OK [CAPABILITY STARTTLS] hi\r\n", "* 1 EXISTS\r\nB BAD no\r\n"],
        client: "B STARTTLS\r\n", .refused(.rejected(reply: "B BAD no"))),
    .init(
        .imap, "farewell", server: ["* OK\r\n", "* BYE\r\n"], client: "A CAPABILITY\r\n",
        .refused(.rejected(reply: "* BYE"))),
    .init(
        .imap, "more", server: ["* OK [CAPABILITY STARTTLS]\r\n", "B OK\r\n* CAPABILITY X\r\n"],
        client: "B STARTTLS\r\n", .refused(.extraBytes)),
    .init(
        .imap, "STARTTLS", server: ["* OK hi\r\n", "* CAPABILITY IMAP4rev1 StartTLS\r\na ok\r\n", "b ok go\r\n"],
        client: "A CAPABILITY\r\nB STARTTLS\r\n", .ready),
    .init(
        .sieve, "not offered", server: ["\"SIEVE\" \"x\"\r\nOK \"hi\"\r\n"], client: "", .refused(.notOffered)),
    .init(.sieve, "garbage", server: ["220 x\r\n"], client: "", .refused(.unexpectedAnswer(beginning: "220 x"))),
    .init(
        .sieve, "refused", server: ["\"STARTTLS\"\r\nOK\r\n", "NO (X) \"no\"\r\n"], client: "STARTTLS\r\n",
        .refused(.rejected(reply: "NO (X) \"no\""))),
    .init(
        .sieve, "STARTTLS", server: ["\"A\" \"b\"\r\n\"STARTTLS\"\r\nOK\r\n", "OK \"go\"\r\n"], client: "STARTTLS\r\n",
        .ready),
    .init(
        .nntp, "not offered", server: ["200 hi\r\n", "101 list\r\nVERSION 2\r\n.\r\n"], client: "CAPABILITIES\r\n",
        .refused(.notOffered)),
    .init(.nntp, "old", server: ["201 hi\r\n", "500 what\r\n"], client: "CAPABILITIES\r\n", .refused(.notOffered)),
    .init(.nntp, "busy", server: ["400 no\r\n"], client: "", .refused(.rejected(reply: "400 no"))),
    .init(
        .nntp, "refused", server: ["200\r\n", "101\r\nSTARTTLS\r\n.\r\n", "580 no\r\n"],
        client: "CAPABILITIES\r\nSTARTTLS\r\n", .refused(.rejected(reply: "580 no"))),
    .init(
        .nntp, "STARTTLS", server: ["200\r\n", "101\r\nSTARTTLS\r\n.\r\n", "382 go\r\n"],
        client: "CAPABILITIES\r\nSTARTTLS\r\n", .ready),
    .init(
        .ftp, "not offered", server: ["220 hi\r\n", "500 what\r\n", "500 what\r\n"],
        client: "AUTH TLS\r\nAUTH SSL\r\n", .refused(.notOffered)),
    .init(
        .ftp, "refused", server: ["220 hi\r\n", "534 policy\r\n", "500 what\r\n"],
        client: "AUTH TLS\r\nAUTH SSL\r\n", .refused(.rejected(reply: "534 policy"))),
    .init(
        .ftp, "not now", server: ["220 hi\r\n", "431 later\r\n"], client: "AUTH TLS\r\n",
        .refused(.rejected(reply: "431 later"))),
    .init(
        .ftp, "more", server: ["220 hi\r\n", "234 go\r\n220\r\n"], client: "AUTH TLS\r\n", .refused(.extraBytes)),
    .init(
        .ftp, "AUTH TLS", server: ["120 wait\r\n220-hi\r\n  123 is no code\r\n220 hi\r\n", "234 go\r\n"],
        client: "AUTH TLS\r\n", .ready),
    .init(
        .ftp, "AUTH SSL", server: ["220 hi\r\n", "504 what\r\n", "234 go\r\n"], client: "AUTH TLS\r\nAUTH SSL\r\n",
        .ready),
]

/// Conversations in XMPP, those that come to nothing first.
let xmppTranscripts: [PreambleTranscript] = [
    .init(
        .xmpp, "not offered", server: [header + "<stream:features><mechanisms>x</mechanisms></stream:features>"],
        client: xmpp, .refused(.notOffered)),
    .init(.xmpp, "no features", server: [header + "<stream:features/>"], client: xmpp, .refused(.notOffered)),
    .init(.xmpp, "no version", server: ["<stream:stream id='1'>"], client: xmpp, .refused(.notOffered)),
    .init(
        .xmpp, "an error", server: [header + "<stream:error><host-unknown xmlns='x'/></stream:error></stream:stream>"],
        client: xmpp, .refused(.rejected(reply: "host-unknown"))),
    .init(
        .xmpp, "the end", server: [header + "</stream:stream>"], client: xmpp,
        .refused(.rejected(reply: "the end of the stream"))),
    .init(.xmpp, "HTTP", server: ["HTTP/1.1 400"], client: xmpp, .refused(.unexpectedAnswer(beginning: ""))),
    .init(.xmpp, "HTML", server: ["<!DOCTYPE html>"], client: xmpp, .refused(.unexpectedAnswer(beginning: ""))),
    .init(.xmpp, "other XML", server: ["<a><b/></a>"], client: xmpp, .refused(.unexpectedAnswer(beginning: ""))),
    .init(
        .xmpp, "refused", server: [header + offer + "</stream:features>", "<failure xmlns='x'/></stream:stream>"],
        client: xmpp + startTLS, .refused(.rejected(reply: "failure"))),
    .init(
        .xmpp, "more", server: [header + offer + "</stream:features>", "<proceed xmlns='x'/><iq/>"],
        client: xmpp + startTLS, .refused(.extraBytes)),
    .init(.xmpp, "half a tag", server: [header + "<stream:fea"], client: xmpp, .waiting),
    .init(
        .xmpp, "proceed", server: [header + "\r\n" + offer + "</stream:features>", "\n<proceed xmlns='x'/>"],
        client: xmpp + startTLS, .ready),
    .init(
        .xmpp, "proceed in two tags",
        server: [header + "<f:features>text<starttls/></f:features>", "<proceed xmlns=\"x\"></proceed>"],
        client: xmpp + startTLS, .ready),
    .init(
        .xmppServer, "proceed", server: [header + offer + "</stream:features>", "<proceed/>"],
        client: xmpp.replacing("jabber:client", with: "jabber:server") + startTLS, .ready),
]
