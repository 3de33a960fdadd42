<?php
/* clients_pinba.php send PORT N - sends N requests, all of it given, to a server
 *                                 on loopback, and prints the process's map
 * clients_pinba.php time N      - prints the nanoseconds of CPU that one takes
 *                                 to be made, as the mean of N */

function make_client($port, $i) {
    $client = new PinbaClient(["127.0.0.1:$port"], 0);
    $client->setHostname("host$i");
    $client->setScriptname("/script.php");
    $client->setServername("clients.example");
    $client->setRequestCount($i);
    $client->setDocumentSize(1024 * $i);
    $client->setMemoryPeak(1 << 20);
    $client->setMemoryFootprint(1 << 19);
    $client->setRusage([0.25, 0.125]);
    $client->setRequestTime(0.5 * $i);
    $client->setStatus(200 + $i % 5);
    $client->setSchema("https");
    $client->setTag("tag", "value $i");
    for ($j = 0; $j < 200; $j++)
        $client->setTimer(["group" => "g" . $j % 5, "server" => "s" . $j % 3,
                           "operation" => "o$j"], $j * 0.01, [0.1, 0.2], $j + $i);
    return $client;
}

if ($argv[1] === "send") {
    for ($i = 0; $i < (int) $argv[3]; $i++) {
        make_client($argv[2], $i)->send();
        usleep(1000);
    }
    readfile("/proc/self/maps");
} else {
    $client = make_client(9, 1);
    $size = strlen($client->getData());
    $used = function () {
        $usage = getrusage();
        return ($usage["ru_utime.tv_sec"] + $usage["ru_stime.tv_sec"]) * 1000000
            + $usage["ru_utime.tv_usec"] + $usage["ru_stime.tv_usec"];
    };
    $start = $used();
    for ($i = 0; $i < (int) $argv[2]; $i++)
        if (strlen($client->getData()) !== $size)
            exit(1);
    echo intdiv(($used() - $start) * 1000, (int) $argv[2]), "\n";
}
